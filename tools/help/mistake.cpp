#include "help/mistake.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest_names.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

bool is_option(const std::string& word) { return word.size() > 1 && word.starts_with('-'); }

std::vector<std::string> all_options(const Command& command) {
  std::vector<std::string> out;
  for (const Option& option : command.options())
    for (std::string& name : option.spellings()) out.push_back(std::move(name));
  return out;
}

/// " (did you mean --cpu?)" with the nearest of the names; "" if none is near.
std::string nearest_hint(const std::string& word, const std::vector<std::string>& names) {
  const auto name = nearest_name(word, names);
  return name.empty() ? std::string() : fmt::format(" (did you mean {}?)", name);
}

std::string unexpected(const Command& command, const std::string& word) {
  if (!is_option(word)) return fmt::format("'{}' is one argument too many", word);
  const std::string name = word.substr(0, word.find('='));
  return fmt::format("no option {}{}", name, nearest_hint(name, all_options(command)));
}

std::string without_subcommand(const Program& program, const std::vector<std::string>& words) {
  const auto options = all_options(program.self());
  for (const std::string& word : words) {
    if (!is_option(word)) return no_subcommand(word);
    if (std::ranges::find(options, word.substr(0, word.find('='))) == options.end())
      return unexpected(program.self(), word);
  }
  return "which subcommand?";
}

}  // namespace

std::string no_subcommand(const std::string& word) {
  std::vector<std::string> names;
  for (const Subcommand& row : subcommands()) names.emplace_back(row.name);
  return fmt::format("no subcommand '{}'{}", word, nearest_hint(word, names));
}

void tell_mistake(const Program& program, const Parsed& parsed,
                  const std::vector<std::string>& words) {
  if (parsed.command == nullptr) {
    tell_error("{}\n  evname --help lists them", without_subcommand(program, words));
    return;
  }
  const Command& command = *parsed.command;
  tell_error("{}: {}", command.name(),
             parsed.extra.empty() ? parsed.mistake : unexpected(command, parsed.extra));
  if (const Subcommand* row = find_subcommand(command.name()))
    to_stderr(fmt::format("  Example: {}\n  evname {} --help has more\n", row->examples[0].line,
                          row->name));
}

}  // namespace evname::tools
