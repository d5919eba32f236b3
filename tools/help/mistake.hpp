#pragma once
// Arguments that can't be used.

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace evname::tools {

/// Tells on standard error what is wrong with the arguments and what to do next.
void tell_mistake(const Program& program, const Parsed& parsed,
                  const std::vector<std::string>& words);

}  // namespace evname::tools
