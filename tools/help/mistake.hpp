#pragma once
// Arguments that can't be used.

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace evname::tools {

/// "no subcommand 'lst' (did you mean list?)"
std::string no_subcommand(const std::string& word);

/// Tells on standard error what is wrong with the arguments and what to do next.
void tell_mistake(const Program& program, const Parsed& parsed,
                  const std::vector<std::string>& words);

}  // namespace evname::tools
