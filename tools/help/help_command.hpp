#pragma once
// evname help [--man] [SUBCOMMAND]: for the build, which makes the manual pages with it.

#include "command.hpp"
#include "screen/screen.hpp"

namespace evname::tools {

/// Adds every subcommand of the table, with its --help and what all have in common.
void add_subcommands(CLI::App& app, Run& run, ScreenOptions& screen);

/// Adds the hidden subcommand; the others are there already.
void add_help(CLI::App& app, Run& run);

}  // namespace evname::tools
