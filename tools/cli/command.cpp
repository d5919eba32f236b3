#include "cli/command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <sstream>
#include <type_traits>

#include "base/text.hpp"

namespace evname::tools {
namespace {

CLI::Validator one_of_words(const std::vector<std::string>& words) {
  const std::string all = joined(words, ",");
  const auto check = [words, all](const std::string& value) {
    return std::ranges::count(words, value) > 0 ? std::string()
                                                : fmt::format("'{}' is none of {}", value, all);
  };
  return {check, "{" + all + "}"};
}

template <class T>
std::string number_problem(const std::string& value) {
  T number;
  return CLI::detail::lexical_cast(value, number)
             ? std::string()
             : fmt::format("'{}' is not a number, or none that fits", value);
}

}  // namespace

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::value_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& values) {
  option_->check(one_of_words(values));
  return *this;
}

Option& Option::existing_directory() {
  return checked_by([](const std::string& path) -> std::string {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) return {};
    if (std::filesystem::exists(path, error)) return fmt::format("'{}' is not a directory", path);
    return fmt::format("there is no directory '{}'", path);
  });
}

Option& Option::between(int first, int last) {
  // As the first of its checks.
  option_->transform(CLI::Validator(
      [first, last](std::string& value) -> std::string {
        int number = 0;
        if (CLI::detail::lexical_cast(value, number) && number >= first && number <= last)
          return {};
        return fmt::format("{} is not between {} and {}", value, first, last);
      },
      ""));
  option_->description(fmt::format("{}: {} to {}", about(), first, last));
  return *this;
}

Option& Option::checked_by(std::string (*problem)(const std::string& value)) {
  option_->check(problem);
  return *this;
}

Option& Option::comma_separated() {
  option_->delimiter(',');
  return *this;
}

Option& Option::one_value_each() {
  option_->allow_extra_args(false);
  return *this;
}

Option& Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

bool Option::is_positional() const { return option_->get_positional(); }
bool Option::is_hidden() const { return option_->get_group().empty(); }
bool Option::is_required() const { return option_->get_required(); }
bool Option::takes_value() const { return option_->get_expected_max() > 0; }
bool Option::takes_many() const {
  return option_->get_expected_max() >= CLI::detail::expected_max_vector_size;
}
std::string Option::about() const { return option_->get_description(); }
std::string Option::argument_name() const { return option_->get_name(true); }

std::string Option::value_name() const {
  if (!takes_value()) return {};
  const std::string type = option_->get_type_name();  // "WHEN:{auto,always,never}"
  return type.substr(0, type.find(':'));
}

std::vector<std::string> Option::values() const {
  const std::string type = option_->get_type_name();
  const auto open = type.find(":{");
  if (open == type.npos || !type.ends_with('}')) return {};
  const auto words = split(std::string_view(type).substr(open + 2, type.size() - open - 3), ',');
  return {words.begin(), words.end()};
}

std::vector<std::string> Option::spellings() const {
  std::vector<std::string> out;
  if (is_hidden()) return out;
  for (const std::string& name : option_->get_snames()) out.push_back("-" + name);
  for (const std::string& name : option_->get_lnames()) out.push_back("--" + name);
  return out;
}

bool Option::is_spelled(std::string_view word) const {
  return std::ranges::count(spellings(), word) > 0;
}

Command::Command(CLI::App& app) : app_(app) {
  app_.callback([this] { finish(); });
}

Command::~Command() = default;

template <class T>
Option Command::option(const std::string& names, T& value, const std::string& about) {
  CLI::Option* option = app_.add_option(names, value, about)->type_name("WORD");
  if constexpr (std::is_same_v<T, std::uint64_t>)
    option->type_name("N")->check(number_problem<std::uint64_t>);
  else if constexpr (std::is_same_v<T, unsigned> || std::is_same_v<T, std::optional<unsigned>>)
    option->type_name("N")->check(number_problem<unsigned>);
  return Option(option);
}
template Option Command::option(const std::string&, std::string&, const std::string&);
template Option Command::option(const std::string&, std::vector<std::string>&, const std::string&);
template Option Command::option(const std::string&, unsigned&, const std::string&);
template Option Command::option(const std::string&, std::uint64_t&, const std::string&);
template Option Command::option(const std::string&, std::optional<unsigned>&, const std::string&);

Option Command::choice(const std::string& names, int& value, const std::string& about,
                       const std::vector<std::pair<std::string, int>>& words) {
  std::vector<std::string> known;
  for (const auto& [word, number] : words) known.push_back(word);
  const auto keep = [words, &value](const std::string& given) {
    for (const auto& [word, number] : words)
      if (word == given) value = number;
  };
  return Option(app_.add_option_function<std::string>(names, keep, about)
                    ->type_name("WORD")
                    ->check(one_of_words(known)));
}

Option Command::flag(const std::string& names, bool& value, const std::string& about) {
  return Option(app_.add_flag(names, value, about));
}

void Command::runs_another(std::vector<std::string>& words) {
  app_.prefix_command();
  other_words_ = &words;
}

bool Command::runs_another() const { return other_words_ != nullptr; }

/// All words are read: takes those of the other command, and asks what is wrong with them together.
void Command::finish() {
  if (other_words_ != nullptr) *other_words_ = app_.remaining();
  if (!action_) return;
  if (const std::string_view problem = action_->problem(); !problem.empty())
    throw CLI::ValidationError(std::string(problem));
}

void Command::footer(const std::string& text) { app_.footer(text); }
void Command::hide() { app_.group(""); }
std::string Command::name() const { return app_.get_name(); }
std::string Command::about() const { return app_.get_description(); }
std::string Command::help() const { return app_.help(); }

std::vector<Option> Command::options() const {
  std::vector<Option> out;
  for (CLI::Option* option : app_.get_options({})) out.emplace_back(option);
  return out;
}

namespace {

/// Mistakes that CLI11 finds: what its sentences have between their two parts, and our sentences.
struct Wording {
  std::string_view between;
  const char* ours;
};
constexpr Wording kWordings[] = {
    {": 1 required ", "{}: its value is missing: {}"},  // "--smt: 1 required WORD:{on,off} missing"
    {" excludes ", "{} and {} can't be given both"},
    {" is required", "{}{} is missing"},
};

std::string in_our_words(const CLI::ParseError& error) {
  const std::string text = error.what();
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) return text;  // ours
  for (const auto& [between, ours] : kWordings)
    if (const auto at = text.find(between); at != text.npos) {
      const std::string second = text.substr(at + between.size());
      return fmt::format(fmt::runtime(ours), text.substr(0, at),
                         second.substr(0, second.find_first_of(": ")));
    }
  return text;
}

/// Options as our help has them: "--smt on|off|auto", "FILE...".
class HelpFormat final : public CLI::Formatter {
 public:
  HelpFormat() { label("Positionals", "Arguments"); }

  std::string make_option_opts(const CLI::Option* option) const override {
    const Option of(const_cast<CLI::Option*>(option));
    if (of.is_positional()) return of.takes_many() ? "..." : "";
    if (!of.takes_value()) return {};
    std::string words;
    for (const std::string& value : of.values()) words += (words.empty() ? " " : "|") + value;
    return words.empty() ? " " + of.value_name() : words;
  }
};

/// `evname stat … -- COMMAND`: CLI11 hands what follows "--" to the application, not to the
/// subcommand; without the dashes the subcommand keeps it, from its first word on. True: there were
/// dashes.
bool take_out_dashes(const Program& program, std::vector<std::string>& words) {
  const auto command = std::ranges::find_if(
      words, [&](const std::string& word) { return program.find(word) != nullptr; });
  const auto dashes = std::ranges::find(words, "--");
  if (command >= dashes || dashes == words.end() || !program.find(*command)->runs_another())
    return false;
  words.erase(dashes);
  return true;
}

}  // namespace

Program::Program(const std::string& name, const std::string& about, const std::string& version)
    : app_(std::make_unique<CLI::App>(about, name)), self_(std::make_unique<Command>(*app_)) {
  app_->formatter(std::make_shared<HelpFormat>());  // of the subcommands, too
  app_->require_subcommand(1);
  app_->set_version_flag("--version", version);
}

Program::~Program() = default;

Command& Program::add(const std::string& name, const std::string& about) {
  commands_.push_back(std::make_unique<Command>(*app_->add_subcommand(name, about)));
  return *commands_.back();
}

Command* Program::find(std::string_view name) const {
  for (const auto& command : commands_)
    if (command->name() == name) return command.get();
  return nullptr;
}

Parsed Program::parse(std::vector<std::string> words) {
  Parsed out;
  const bool had_dashes = take_out_dashes(*this, words);
  std::ranges::reverse(words);  // as CLI11 takes them
  try {
    app_->parse(std::move(words));
  } catch (const CLI::Success& asked) {
    std::ostringstream answer;
    app_->exit(asked, answer, answer);
    out.answered = true;
    out.answer = answer.str();
  } catch (const CLI::ParseError& error) {
    out.mistake = in_our_words(error);
    if (const auto extras = app_->remaining(true);
        dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !extras.empty())
      out.extra = extras.front();
  }
  if (const auto chosen = app_->get_subcommands(); !chosen.empty())
    out.command = find(chosen.front()->get_name());
  // CLI11 takes an option that there is not for the first word of the other command.
  if (out.command != nullptr && out.command->runs_another() && !had_dashes)
    if (const auto rest = app_->get_subcommands().front()->remaining();
        !rest.empty() && rest.front().starts_with('-') && !out.answered && out.extra.empty())
      out.mistake = out.extra = rest.front();
  return out;
}

}  // namespace evname::tools
