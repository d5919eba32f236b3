#pragma once
// Where in a command line the cursor is.

#include <span>
#include <string>

#include "cli/command.hpp"
#include "input/machine.hpp"

namespace evname::tools {

struct Place {
  const Command* command = nullptr;  ///< the subcommand, or the program; nullptr: no such
  Option option;                     ///< whose value is typed; none: an option or subcommand
  bool of_other_program = false;     ///< after `--` of `evname stat … -- COMMAND`
  std::string head;                  ///< of the word, before what is typed: "--cpu="
  std::string typed;
  MachineOptions machine;  ///< that the words before it mean
};

/// `words` are all after "evname"; the last is the one at the cursor.
Place find_place(const Program& program, std::span<const std::string> words);

}  // namespace evname::tools
