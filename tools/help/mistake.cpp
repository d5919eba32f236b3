#include "help/mistake.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/nearest_names.hpp"
#include "help/option_model.hpp"
#include "help/subcommand.hpp"
#include "screen/tell.hpp"

namespace evname::tools {
namespace {

/// CLI11's words for what a user did, and ours.
constexpr std::pair<std::string_view, std::string_view> kWords[] = {
    {"Could not convert: ", "this is no number, or none that fits: "},
    {" is required", " is missing"},
    {" not in {", " is none of {"},
    {": 1 required ", ": its value is missing: "},
};

std::string in_our_words(std::string text) {
  for (const auto& [theirs, ours] : kWords)
    if (const auto at = text.find(theirs); at != text.npos) text.replace(at, theirs.size(), ours);
  if (text.find("its value is missing: ") != text.npos && text.ends_with(" missing"))
    text.erase(text.size() - std::string_view(" missing").size());
  return text;
}

bool is_option(const std::string& word) { return word.size() > 1 && word.starts_with('-'); }

std::vector<std::string> all_options(const CLI::App& app) {
  std::vector<std::string> out;
  for (const CLI::Option* option : app.get_options())
    for (std::string& name : spellings(*option)) out.push_back(std::move(name));
  return out;
}

std::string unexpected(const CLI::App& command, const std::string& word) {
  if (!is_option(word)) return fmt::format("'{}' is one argument too many", word);
  const std::string name = word.substr(0, word.find('='));
  return fmt::format("no option {}{}", name, nearest_hint(name, all_options(command)));
}

std::string without_subcommand(const CLI::App& app, const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const Subcommand& row : subcommands()) names.emplace_back(row.name);
  const auto options = all_options(app);
  for (const std::string& word : words) {
    if (!is_option(word))
      return fmt::format("no subcommand '{}'{}", word, nearest_hint(word, names));
    if (std::ranges::find(options, word.substr(0, word.find('='))) == options.end())
      return unexpected(app, word);
  }
  return "which subcommand?";
}

}  // namespace

std::string nearest_hint(const std::string& word, const std::vector<std::string>& names) {
  const auto name = nearest_name(word, names, std::clamp<std::size_t>(word.size() / 3, 1, 3));
  return name.empty() ? std::string() : fmt::format(" (did you mean {}?)", name);
}

void tell_mistake(const CLI::App& app, const CLI::ParseError& error,
                  const std::vector<std::string>& words) {
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) {
    tell_error("{}\n  evname --help lists them", without_subcommand(app, words));
    return;
  }
  const CLI::App& command = *chosen.front();
  const std::vector<std::string> extras = app.remaining(true);
  const bool extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !extras.empty();
  tell_error("{}: {}", command.get_name(),
             extra ? unexpected(command, extras.front()) : in_our_words(error.what()));
  if (const Subcommand* row = find_subcommand(command.get_name()))
    fmt::print(stderr, "  Example: {}\n  evname {} --help has more\n", row->examples[0].line,
               row->name);
}

}  // namespace evname::tools
