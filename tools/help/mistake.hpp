#pragma once
// Arguments that can't be used.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace evname::tools {

/// Tells on standard error what is wrong with the arguments and what to do next.
void tell_mistake(const CLI::App& app, const CLI::ParseError& error,
                  const std::vector<std::string>& words);

/// " (did you mean --cpu?)" with the nearest of the names; "" if none is near.
std::string nearest_hint(const std::string& word, const std::vector<std::string>& names);

}  // namespace evname::tools
