#pragma once
// Manual pages, made of the same model as `--help`.

#include <CLI/CLI.hpp>
#include <string>

#include "help/subcommand.hpp"

namespace evname::tools {

/// evname.1
std::string manual(const CLI::App& app);

/// evname-SUBCOMMAND.1
std::string manual(const CLI::App& command, const Subcommand& row);

}  // namespace evname::tools
