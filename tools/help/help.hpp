#pragma once
// evname help [--man] [SUBCOMMAND]: for the build, which makes the manual pages with it.

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "screen/screen.hpp"

namespace evname::tools {

/// Adds every subcommand of the table, with its --help and what all have in common.
void add_subcommands(Program& program, ScreenOptions& screen);

/// The words of a command line, with `help` and `help SUBCOMMAND` as what they stand for.
std::vector<std::string> help_words(std::vector<std::string> words);

/// Adds the hidden subcommand; the others are there already.
void add_help(Program& program);

}  // namespace evname::tools
