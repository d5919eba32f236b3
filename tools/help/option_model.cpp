#include "help/option_model.hpp"

#include <algorithm>
#include <string_view>

#include "text.hpp"

namespace evname::tools {

bool takes_value(const CLI::Option& option) { return option.get_expected_max() > 0; }

// An enumeration in newer versions, of which 0 is "no".
bool runs_another(const CLI::App& command) {
  return static_cast<bool>(command.get_prefix_command());
}

std::string value_name(const CLI::Option& option) {
  if (!takes_value(option)) return {};
  const std::string type = option.get_type_name();  // "WHEN:{auto,always,never}"
  return type.substr(0, type.find(':'));
}

std::vector<std::string> closed_values(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto open = type.find(":{");
  if (open == type.npos || !type.ends_with('}')) return {};
  const auto words = split(std::string_view(type).substr(open + 2, type.size() - open - 3), ',');
  return {words.begin(), words.end()};
}

std::vector<std::string> spellings(const CLI::Option& option) {
  std::vector<std::string> out;
  if (option.get_group().empty()) return out;
  for (const std::string& name : option.get_snames()) out.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) out.push_back("--" + name);
  return out;
}

}  // namespace evname::tools
