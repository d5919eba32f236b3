#pragma once
// Manual pages, made of the same model as `--help`.

#include <string>

#include "subcommands.hpp"

namespace evname::tools {

/// evname.1
std::string manual(const Program& program);

/// evname-SUBCOMMAND.1
std::string manual(const Command& command, const Subcommand& row);

}  // namespace evname::tools
