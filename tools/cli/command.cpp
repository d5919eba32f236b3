#include "cli/command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
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

/// Only digits are a number: CLI11 also takes 0x10, 010 (8) and 1'000.
template <class T>
std::optional<T> number_of(const std::string& value) {
  const auto number = parse_decimal(value);
  if (!number || *number > std::numeric_limits<T>::max()) return std::nullopt;
  return static_cast<T>(*number);
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

Option& Option::between(unsigned first, unsigned last) {
  // As the first of its checks.
  option_->transform(CLI::Validator(
      [first, last](std::string& value) -> std::string {
        const auto number = number_of<unsigned>(value);
        if (number && *number >= first && *number <= last) return {};
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

Option& Option::last_counts() {
  option_->take_last();
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
  if constexpr (std::is_same_v<T, unsigned> || std::is_same_v<T, std::optional<unsigned>>) {
    const auto keep = [&value](const std::string& given) {
      value = number_of<unsigned>(given).value_or(0);
    };
    const auto problem = [](const std::string& given) {
      return number_of<unsigned>(given)
                 ? std::string()
                 : fmt::format("'{}' is not a number, or none that fits", given);
    };
    return Option(
        app_.add_option_function<std::string>(names, keep, about)->type_name("N")->check(problem));
  } else {
    return Option(app_.add_option(names, value, about)->type_name("WORD"));
  }
}
template Option Command::option(const std::string&, std::string&, const std::string&);
template Option Command::option(const std::string&, std::vector<std::string>&, const std::string&);
template Option Command::option(const std::string&, unsigned&, const std::string&);
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

Option Command::counted_flag(const std::string& names, unsigned& times, const std::string& about) {
  return Option(app_.add_flag(names, about)->each([&times](const std::string&) { ++times; }));
}

Option Command::accept(const std::string& names, bool* given) {
  CLI::Option* option = given ? app_.add_flag(names, *given) : app_.add_flag(names);
  return Option(option->group(""));
}

void Command::runs_another(std::vector<std::string>& words) {
  app_.prefix_command();
  other_words_ = &words;
}

bool Command::runs_another() const { return other_words_ != nullptr; }

void Command::follow(std::vector<std::string> words) { dashes_and_after_ = std::move(words); }

/// All words are read: takes those of the other command, and asks what is wrong with them together.
void Command::finish() {
  if (other_words_ != nullptr) {
    *other_words_ = app_.remaining();
    // CLI11 takes an option that does not exist for the first word of the other command.
    if (!other_words_->empty() && other_words_->front().starts_with('-'))
      throw CLI::ExtrasError(std::vector<std::string>{other_words_->front()});
    // The first "--" is ours if nothing of the other command is before it.
    const auto own =
        static_cast<std::ptrdiff_t>(other_words_->empty() && !dashes_and_after_.empty());
    other_words_->insert(other_words_->end(), dashes_and_after_.begin() + own,
                         dashes_and_after_.end());
  }
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
    {": At Most 1 required but received ", "{} can be given once: there are {}"},
};

/// "FILE is missing"; "" if nothing is.
std::string what_is_missing(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options({}))
    if (option->get_required() && option->count() == 0)
      return option->get_name(option->get_positional()) + " is missing";
  return {};
}

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

  std::string make_option_name(const CLI::Option* option, bool positional) const override {
    const Option of(const_cast<CLI::Option*>(option));
    const std::string name = Formatter::make_option_name(option, positional);
    return of.is_positional() && !positional ? name + " " + of.argument_name() : name;
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    const Option of(const_cast<CLI::Option*>(option));
    if (of.is_positional()) return of.takes_many() && of.spellings().empty() ? "..." : "";
    if (!of.takes_value()) return {};
    std::string words;
    for (const std::string& value : of.values()) words += (words.empty() ? " " : "|") + value;
    return words.empty() ? " " + of.value_name() : words;
  }
};

/// `evname stat … -- COMMAND`: takes "--" and what follows it out of the words, for the subcommand;
/// CLI11 would hand them to the application.
void take_what_follows_dashes(const Program& program, std::vector<std::string>& words) {
  const auto command = std::ranges::find_if(
      words, [&](const std::string& word) { return program.find(word) != nullptr; });
  const auto dashes = std::ranges::find(words, "--");
  if (command >= dashes || dashes == words.end() || !program.find(*command)->runs_another()) return;
  program.find(*command)->follow({dashes, words.end()});
  words.erase(dashes, words.end());
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
  take_what_follows_dashes(*this, words);
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
  if (const auto chosen = app_->get_subcommands(); !chosen.empty()) {
    out.command = find(chosen.front()->get_name());
    if (out.mistake.ends_with(" is required")) out.mistake = what_is_missing(*chosen.front());
  }
  return out;
}

}  // namespace evname::tools
