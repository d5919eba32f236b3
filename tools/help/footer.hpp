#pragma once
// What stands below the options in `--help`.

#include <string>

#include "subcommands.hpp"

namespace evname::tools {

/// Notes, keys of --json, examples; lines of at most 80 columns.
std::string footer_of(const Subcommand& row, const std::string& notes);

/// The exit codes, and where there is more.
std::string top_footer();

}  // namespace evname::tools
