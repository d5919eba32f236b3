#pragma once
// What CLI11 knows of an option, as help, manual and completion want it.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace evname::tools {

/// "CPU", "WHEN"; "" for a flag.
std::string value_name(const CLI::Option& option);

/// The values of an option that takes only certain ones (CLI::IsMember), in their order.
std::vector<std::string> closed_values(const CLI::Option& option);

bool takes_value(const CLI::Option& option);

/// "-o", "--output"; empty for a positional argument or a hidden option.
std::vector<std::string> spellings(const CLI::Option& option);

/// Does another command with its own options follow, as behind `evname stat … --`?
bool runs_another(const CLI::App& command);

}  // namespace evname::tools
