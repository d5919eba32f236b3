// The text of --help.

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/spec.hpp"

namespace evname::tools {
namespace {

constexpr std::size_t kColumn = 30;  // where the explanations begin

/// A name and, in a column of its own, what it is.
std::string entry(const std::string& name, const std::string& about) {
  const std::string head = "  " + name;
  if (about.empty()) return fmt::format("{:<{}}\n", head, kColumn);
  std::string out = head.size() < kColumn ? fmt::format("{:<{}}", head, kColumn)
                                          : fmt::format("{}\n{:{}}", head, "", kColumn);
  for (const char c : about) {
    out += c;
    if (c == '\n') out.append(kColumn, ' ');
  }
  return out + '\n';
}

/// "-i,--input FILE Excludes: --cpu"
std::string option_head(const OptionSpec& spec) {
  std::string out = spec.argument;
  if (spec.letter != 0) out += fmt::format("-{}", spec.letter);
  for (const std::string& word : spec.words) out += (out.empty() ? "--" : ",--") + word;
  if (spec.takes != OptionSpec::Takes::nothing) {
    out += " " + spec.type();
    if (spec.takes == OptionSpec::Takes::many) out += " ...";
    if (spec.required) out += " REQUIRED";
  }
  if (!spec.excluded.empty()) out += " Excludes:";
  for (const OptionSpec* other : spec.excluded) out += " " + other->name();
  return out;
}

std::string usage_word(const OptionSpec& spec) {
  const std::string word = spec.argument + (spec.takes == OptionSpec::Takes::many ? "..." : "");
  return spec.required ? word : "[" + word + "]";
}

}  // namespace

std::string Command::help(const std::string& usage) const {
  std::string out = fmt::format("{}\nUsage: {} [OPTIONS]", about_, usage);
  std::string arguments, options;
  for (const auto& spec : options_) {
    const bool positional = !spec->argument.empty();
    if (positional) out += " " + usage_word(*spec);
    (positional ? arguments : options) += entry(option_head(*spec), spec->about);
  }
  out += subcommands_ != nullptr ? " SUBCOMMAND\n" : "\n";
  if (!arguments.empty()) out += "\nPositionals:\n" + arguments;
  out += "\nOptions:\n" + options;
  if (subcommands_ != nullptr) out += "\nSubcommands:\n";
  if (subcommands_ != nullptr)
    for (const auto& command : *subcommands_)
      if (!command->hidden_) out += entry(command->name_, command->about_);
  out += '\n';
  return footer_.empty() ? out : out + footer_ + '\n';
}

}  // namespace evname::tools
