#include "cli/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <span>

#include "base/text.hpp"
#include "cli/filled.hpp"
#include "cli/word_reader.hpp"

namespace evname::tools {

namespace {

/// Only digits are a number.
template <class T>
std::optional<T> number_of(const std::string& value) {
  const auto number = parse_decimal(value);
  if (!number || *number > std::numeric_limits<T>::max()) return std::nullopt;
  return static_cast<T>(*number);
}

template <class T>
std::string number_problem(const std::string& value) {
  return number_of<T>(value) ? std::string()
                             : fmt::format("'{}' is not a number, or none that fits", value);
}

}  // namespace

Option& Option::required() {
  row_->required = true;
  return *this;
}

Option& Option::value_name(const std::string& name) {
  row_->value_name = name;
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& values) {
  row_->values = values;
  row_->checks.emplace_back([row = row_](const std::string& value) {
    return std::ranges::count(row->values, value) > 0
               ? std::string()
               : fmt::format("'{}' is none of {}", value, joined(row->values, ","));
  });
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
  row_->about += fmt::format(": {} to {}", first, last);
  const auto check = [first, last](const std::string& value) {
    const auto number = number_of<unsigned>(value);
    return number && *number >= first && *number <= last
               ? std::string()
               : fmt::format("{} is not between {} and {}", value, first, last);
  };
  row_->checks.insert(row_->checks.begin(), check);
  return *this;
}

Option& Option::checked_by(std::string (*problem)(const std::string& value)) {
  row_->checks.emplace_back(problem);
  return *this;
}

Option& Option::comma_separated() {
  row_->comma_separated = true;
  return *this;
}

Option& Option::also(const std::string& word) {
  row_->words.push_back(word);
  ++row_->unlisted;
  return *this;
}

Option& Option::hide() {
  row_->hidden = true;
  return *this;
}

Option& Option::if_bare(const std::string& value) {
  row_->bare = value;
  return *this;
}

bool Option::may_be_bare() const { return row_->bare.has_value(); }

Option& Option::one_value_each() {
  row_->one_value_each = true;
  return *this;
}

Option& Option::last_counts() {
  row_->last_counts = true;
  return *this;
}

Option& Option::excludes(const Option& other) {
  row_->excluded.push_back(other.row_);
  other.row_->excluded.push_back(row_);
  return *this;
}

Option& Option::placed_among(const Option& other) {
  row_->other = other.row_;
  return *this;
}

bool Option::is_given() const { return !row_->given.empty(); }
bool Option::is_positional() const { return !row_->argument.empty(); }
bool Option::is_hidden() const { return row_->hidden; }
bool Option::is_required() const { return row_->required; }
bool Option::takes_value() const { return row_->takes_value; }
bool Option::takes_many() const { return row_->takes_many; }
std::string Option::about() const { return row_->about; }
std::string Option::group() const { return row_->group; }
std::string Option::argument_name() const { return row_->argument; }
std::string Option::value_name() const { return row_->takes_value ? row_->value_name : ""; }
std::vector<std::string> Option::values() const { return row_->values; }

std::vector<std::string> Option::spellings() const {
  std::vector<std::string> out;
  if (is_hidden()) return out;
  for (const std::string& letter : row_->letters) out.push_back("-" + letter);
  for (const std::string& word : std::span(row_->words).first(row_->words.size() - row_->unlisted))
    out.push_back("--" + word);
  return out;
}

bool Option::is_spelled(std::string_view word) const {
  return std::ranges::count(spellings(), word) > 0;
}

Command::Command(const std::string& title, const std::string& about)
    : title_(title), about_(about) {
  flag("-h,--help", "Print this help message and exit");
}

Command::~Command() = default;

void Option::Row::keep_places(std::vector<Placed>& out) {
  keep = [this, &out, next = std::size_t{0}](const std::string& value) mutable {
    out.push_back({places[next++], value});
  };
}

Option Command::add(const std::string& names, const std::string& about) {
  auto& row = *rows_.emplace_back(std::make_unique<Option::Row>());
  row.about = about;
  row.group = group_;
  for (const std::string_view name : split(names, ','))
    if (name.starts_with("--"))
      row.words.emplace_back(name.substr(2));
    else if (name.starts_with('-'))
      row.letters.emplace_back(name.substr(1));
    else
      row.argument = name;
  return Option(&row);
}

template <class T>
Option Command::option(const std::string& names, T& value, const std::string& about) {
  const Option option = add(names, about);
  Option::Row& row = *rows_.back();
  row.takes_value = true;
  row.value_name = "WORD";
  if constexpr (std::is_same_v<T, std::string>) {
    row.keep = [&value](const std::string& given) { value = given; };
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    row.takes_many = true;
    row.keep = [&value, first = true](const std::string& given) mutable {
      if (std::exchange(first, false)) value.clear();
      value.push_back(given);
    };
  } else if constexpr (std::is_same_v<T, std::vector<Option::Placed>>) {
    row.takes_many = row.one_value_each = true;
    row.keep_places(value);
  } else {
    row.value_name = "N";
    using Number = std::conditional_t<std::is_same_v<T, std::uint64_t>, std::uint64_t, unsigned>;
    row.checks.emplace_back(number_problem<Number>);
    row.keep = [&value](const std::string& given) { value = *number_of<Number>(given); };
  }
  return option;
}
template Option Command::option(const std::string&, std::string&, const std::string&);
template Option Command::option(const std::string&, std::vector<std::string>&, const std::string&);
template Option Command::option(const std::string&, std::vector<Option::Placed>&,
                                const std::string&);
template Option Command::option(const std::string&, unsigned&, const std::string&);
template Option Command::option(const std::string&, std::uint64_t&, const std::string&);
template Option Command::option(const std::string&, std::optional<unsigned>&, const std::string&);

Option Command::choice(const std::string& names, int& value, const std::string& about,
                       const std::vector<std::pair<std::string, int>>& words) {
  Option option = add(names, about);
  Option::Row& row = *rows_.back();
  row.takes_value = true;
  row.value_name = "WORD";
  row.keep = [words, &value](const std::string& given) {
    value = std::ranges::find(words, given, &std::pair<std::string, int>::first)->second;
  };
  std::vector<std::string> known;
  for (const auto& [word, number] : words) known.push_back(word);
  return option.one_of(known);
}

Option Command::flag(const std::string& names, const std::string& about) {
  const Option option = add(names, about);
  rows_.back()->keep = [](const std::string&) {};
  return option;
}

Option Command::flag(const std::string& names, bool& value, const std::string& about) {
  const Option option = add(names, about);
  rows_.back()->keep = [&value](const std::string&) { value = true; };
  return option;
}

Option Command::flag(const std::string& names, std::vector<Option::Placed>& values,
                     const std::string& about) {
  const Option option = add(names, about);
  rows_.back()->keep_places(values);
  return option;
}

Option Command::counted_flag(const std::string& names, unsigned& times, const std::string& about) {
  const Option option = add(names, about);
  rows_.back()->keep = [&times](const std::string&) { ++times; };
  return option;
}

Option Command::accept(const std::string& names, bool* given) {
  const Option option = add(names, "");
  rows_.back()->hidden = true;
  rows_.back()->keep = [given](const std::string&) {
    if (given != nullptr) *given = true;
  };
  return option;
}

void Command::runs_another(std::vector<std::string>& words) { other_words_ = &words; }
bool Command::runs_another() const { return other_words_ != nullptr; }

std::vector<Option> Command::options() const {
  std::vector<Option> out;
  for (const auto& row : rows_) out.emplace_back(row.get());
  return out;
}

namespace {

/// A name, and at column 30 its description; below it if there is little room.
std::string help_line(const std::string& name, const std::string& about, std::size_t width) {
  constexpr std::size_t kColumn = 30, kLeast = 30;
  const std::size_t column = width >= kColumn + kLeast ? kColumn : kColumn / 4;
  const std::string line = "  " + name;
  const std::string between =
      line.size() + 1 < column ? "" : fmt::format("\n{:{}}", "", about.empty() ? 0 : column);
  return fmt::format("{:<{}}{}{}\n", line, column, between, filled(about, width, column, column));
}

/// "-o, --output FILE", "--smt on|off|auto"
std::string option_text(const Option& option) {
  std::string out = joined(option.spellings(), ", ");
  if (!option.takes_value()) return out;
  const auto values = option.values();
  if (option.may_be_bare()) return fmt::format("{}[={}]", out, option.value_name());
  return out + " " + (values.empty() ? option.value_name() : joined(values, "|"));
}

/// "FILE...", "[CODE]"
std::string argument_text(const Option& option) {
  const std::string word = option.argument_name() + (option.takes_many() ? "..." : "");
  return option.is_required() ? word : "[" + word + "]";
}

}  // namespace

std::string Command::read(std::vector<std::string>& words, std::string& extra) {
  words_ = words;
  WordReader reader(rows_, title_, words);
  const std::string mistake = reader.read();
  extra = reader.extra();
  words = reader.rest();
  if (other_words_ != nullptr) *other_words_ = words;
  return mistake;
}

bool Command::asks_for_help() const { return Option(rows_.front().get()).is_given(); }

/// Returns the fault of the option's number of uses or of a value; "" if there is none.
std::string Option::Row::problem() const {
  for (const std::string& value : given)
    for (const auto& check : checks)
      if (const std::string wrong = check(value); !wrong.empty())
        return fmt::format("{}: {}", name(), wrong);
  if (takes_value && !takes_many && !last_counts && given.size() > 1)
    return fmt::format("{} can be given once: there are {}", name(), given.size());
  for (const Option::Row* other : excluded)
    if (!given.empty() && !other->given.empty())
      return fmt::format("{} and {} can't be given both", name(), other->name());
  if (!required || !given.empty()) return {};
  return (argument.empty() ? name() : argument) + " is missing";
}

std::string Command::keep_values() {
  for (const auto& row : rows_) {
    // A shell passes --cpu "$CPU" like this if the variable is not set. It must not count as not
    // given.
    if (row->takes_value && row->argument.empty() && std::ranges::count(row->given, "") > 0)
      return fmt::format("{}: its value is empty", row->name());
    if (row->comma_separated) {
      const std::string all = joined(row->given, ",");
      const auto parts = split(all, ',');
      row->given.assign(parts.begin(), all.empty() ? parts.begin() : parts.end());
    }
    if (std::string problem = row->problem(); !problem.empty()) return problem;
    for (const std::string& value : row->given) row->keep(value);
  }
  return std::string(action_ ? action_->problem() : std::string_view());
}

std::vector<std::pair<std::string, std::vector<Option>>> Command::grouped_options() const {
  std::vector<std::pair<std::string, std::vector<Option>>> out;
  std::vector<Option> others;
  for (const Option& option : options()) {
    if (option.spellings().empty()) continue;
    const auto at =
        std::ranges::find(out, option.group(), &std::pair<std::string, std::vector<Option>>::first);
    if (option.group().empty())
      others.push_back(option);
    else if (at == out.end())
      out.push_back({option.group(), {option}});
    else
      at->second.push_back(option);
  }
  out.emplace_back(out.empty() ? "Options" : "Other options", std::move(others));
  return out;
}

std::string Command::usage() const {
  std::string out = title_ + " [OPTIONS]";
  for (const Option& option : options())
    if (option.is_positional()) out += " " + argument_text(option);
  return runs_another() ? out + " [-- COMMAND [ARGUMENT...]]" : out;
}

std::string Command::help(std::size_t width,
                          std::span<const std::unique_ptr<Command>> subcommands) const {
  std::string arguments, named, commands;
  for (const Option& option : options())
    if (option.is_positional())
      arguments += help_line(option.spellings().empty() && option.takes_many()
                                 ? option.argument_name() + "..."
                                 : option.argument_name(),
                             option.about(), width);
  for (const auto& [heading, options] : grouped_options()) {
    named += fmt::format("\n{}:\n", heading);
    for (const Option& option : options)
      named += help_line(option_text(option), option.about(), width);
  }
  for (const auto& command : subcommands)
    if (!command->is_hidden()) commands += help_line(command->name(), command->about(), width);
  const std::string usage = "Usage: " + this->usage() + (commands.empty() ? "" : " SUBCOMMAND");
  if (!arguments.empty()) arguments = "\nArguments:\n" + arguments;
  if (!commands.empty()) commands = "\nSubcommands:\n" + commands;
  const std::string below = footer_ ? fmt::format("\n{}\n", footer_(width)) : std::string();
  return fmt::format("{}\n{}\n{}{}{}{}", filled(about_, width), filled(usage, width, 7), arguments,
                     named, commands, below);
}

Program::Program(const std::string& name, const std::string& about, const std::string& version)
    : version_(version), self_(name, about) {
  asks_for_version_ = self_.flag("--version", "Display program version information and exit");
}

Command& Program::add(const std::string& name, const std::string& about) {
  return *commands_.emplace_back(std::make_unique<Command>(self_.name() + " " + name, about));
}

Command* Program::find(std::string_view name) const {
  for (const auto& command : commands_)
    if (command->name() == name) return command.get();
  return nullptr;
}

Parsed Program::parse(std::vector<std::string> words, std::size_t width) {
  Parsed out;
  out.mistake = self_.read(words, out.extra);
  const bool is_read = out.mistake.empty() && out.extra.empty();
  if (is_read && !words.empty()) out.command = find(words.front());
  if (out.command != nullptr) {
    words.erase(words.begin());
    out.mistake = out.command->read(words, out.extra);
    if (out.mistake.empty() && out.extra.empty() && !words.empty() && !out.command->runs_another())
      out.extra = words.front();
  }
  if (self_.asks_for_help())
    out.answer = self_.help(width, commands_);
  else if (asks_for_version_.is_given())
    out.answer = version_ + "\n";
  else if (out.command != nullptr && out.command->asks_for_help())
    out.answer = out.command->help(width);
  out.answered = !out.answer.empty();
  if (!out.extra.empty() && out.mistake.empty()) out.mistake = out.extra + " is not expected";
  if (out.answered || !out.mistake.empty()) return out;
  out.mistake = self_.keep_values();
  if (out.command == nullptr)
    out.mistake = "a subcommand is missing";
  else if (out.mistake.empty())
    out.mistake = out.command->keep_values();
  return out;
}

}  // namespace evname::tools
