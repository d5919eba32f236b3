#pragma once
// Writes --help, manual pages, and messages about unusable arguments.

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {

/// Adds the subcommands that the words of the command line name, with their options. If the words
/// name none, all are added without options; completion and manual pages get all with options.
void add_subcommands(Program& program, ScreenOptions& screen,
                     const std::vector<std::string>& words);

/// The words of a command line, with `help` and `help SUBCOMMAND` translated to options.
std::vector<std::string> help_words(std::vector<std::string> words);

/// The same words, with `report` before those that name a recording instead of a subcommand.
std::vector<std::string> with_subcommand(std::vector<std::string> words);

/// Adds the hidden subcommand; the others are there already.
void add_help(Program& program);

/// "no subcommand 'lst' (did you mean list?)"
std::string no_subcommand(const std::string& word);

/// Reports the fault of the arguments and a remedy on standard error.
void tell_mistake(const Program& program, const Parsed& parsed,
                  const std::vector<std::string>& words);

/// evname.1
std::string manual(const Program& program);

/// evname-SUBCOMMAND.1
std::string manual(const Command& command, const Subcommand& row);

}  // namespace evname::tools
