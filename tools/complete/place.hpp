#pragma once
// Where in a command line the cursor is.

#include <CLI/CLI.hpp>
#include <span>
#include <string>

#include "machine_options.hpp"

namespace evname::tools {

struct Place {
  const CLI::App* command = nullptr;    ///< the subcommand, or the application; nullptr: no such
  const CLI::Option* option = nullptr;  ///< whose value is typed; nullptr: an option or subcommand
  bool of_other_program = false;        ///< behind `--` of `evname stat … -- COMMAND`
  std::string head;                     ///< of the word, before what is typed: "--cpu="
  std::string typed;
  MachineOptions machine;  ///< that the words before it mean
};

/// `words` are all behind "evname"; the last is the one at the cursor.
Place find_place(const CLI::App& app, std::span<const std::string> words);

}  // namespace evname::tools
