#include "cli/command.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "cli/spec.hpp"
#include "text.hpp"

namespace evname::tools {
namespace {

using Takes = OptionSpec::Takes;

/// Decimal, 0x… or 0…; nothing is 0.
template <class T>
bool read_number(const std::string& text, T& number) {
  char* end = nullptr;
  const std::uint64_t value = std::strtoull(text.c_str(), &end, 0);
  number = static_cast<T>(value);
  return end == text.c_str() + text.size() && number == value;
}

bool read_value(const std::vector<std::string>& values, std::string& out) {
  out = values.front();
  return true;
}
bool read_value(const std::vector<std::string>& values, std::vector<std::string>& out) {
  out = values;
  return true;
}
bool read_value(const std::vector<std::string>& values, unsigned& out) {
  return read_number(values.front(), out);
}
bool read_value(const std::vector<std::string>& values, std::uint64_t& out) {
  return read_number(values.front(), out);
}
bool read_value(const std::vector<std::string>& values, std::optional<unsigned>& out) {
  return read_number(values.front(), out.emplace());
}

/// "--json=no" is possible as well.
bool read_flag(const std::vector<std::string>& values, bool& out) {
  constexpr std::string_view kYes[] = {"true", "t", "yes", "y", "on", "enable", "+"};
  constexpr std::string_view kNo[] = {"false", "f", "no", "n", "off", "disable", "-"};
  const std::string text = to_lower(values.back());
  char* end = nullptr;
  out = std::ranges::count(kYes, text) > 0 || std::strtoll(text.c_str(), &end, 10) > 0;
  return out || std::ranges::count(kNo, text) > 0 || (end != nullptr && end != text.c_str());
}

template <class T>
constexpr const char* kValueName = "UINT";
template <>
constexpr const char* kValueName<std::string> = "TEXT";
template <>
constexpr const char* kValueName<std::vector<std::string>> = "TEXT";

std::string in_braces(const std::vector<std::string>& words) {
  return fmt::format("{{{}}}", fmt::join(words, ","));
}

std::string directory_problem(const std::string& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) return "Directory does not exist: " + path;
  return S_ISDIR(status.st_mode) ? "" : "Directory is actually a file: " + path;
}

}  // namespace

Option& Option::required() {
  spec_->required = true;
  return *this;
}

Option& Option::value_name(const std::string& name) {
  spec_->value_name = name;
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& values) {
  spec_->values = values;
  spec_->allowed = in_braces(values);
  spec_->problem = [spec = spec_](const std::string& value) {
    if (std::ranges::count(spec->values, value) > 0) return std::string();
    return fmt::format("{} is none of {}", value, spec->allowed);
  };
  return *this;
}

Option& Option::existing_directory() {
  spec_->allowed = "DIR";
  spec_->problem = directory_problem;
  return *this;
}

Option& Option::between(int first, int last) {
  spec_->allowed = fmt::format("INT in [{} - {}]", first, last);
  spec_->problem = [first, last](const std::string& value) {
    char* end = nullptr;
    const long long number = std::strtoll(value.c_str(), &end, 0);
    if (!value.empty() && *end == '\0' && number >= first && number <= last) return std::string();
    return fmt::format("Value {} not in range {} to {}", value, first, last);
  };
  return *this;
}

Option& Option::checked_by(std::string (*problem)(const std::string& value)) {
  spec_->problem = problem;
  return *this;
}

Option& Option::comma_separated() {
  spec_->commas = true;
  return *this;
}

Option& Option::one_value_each() {
  spec_->greedy = false;
  return *this;
}

Option& Option::excludes(const Option& other) {
  spec_->excluded.push_back(other.spec_);
  other.spec_->excluded.push_back(spec_);
  return *this;
}

bool Option::is_positional() const { return !spec_->argument.empty(); }
bool Option::is_required() const { return spec_->required; }
bool Option::takes_value() const { return spec_->takes != Takes::nothing; }
bool Option::takes_many() const { return spec_->takes == Takes::many; }
std::string Option::about() const { return spec_->about; }
std::string Option::argument_name() const { return spec_->argument; }
std::string Option::value_name() const { return spec_->value_name; }
const std::vector<std::string>& Option::values() const { return spec_->values; }

std::vector<std::string> Option::spellings() const {
  std::vector<std::string> out;
  if (spec_->letter != 0) out.push_back(std::string("-") + spec_->letter);
  for (const std::string& word : spec_->words) out.push_back("--" + word);
  return out;
}

bool Option::is_spelled(std::string_view word) const {
  return std::ranges::count(spellings(), word) > 0;
}

Command::Command(std::string name, std::string about)
    : name_(std::move(name)), about_(std::move(about)) {
  add("-h,--help", "Print this help message and exit");
}

Command::~Command() = default;

OptionSpec& Command::add(const std::string& names, const std::string& about) {
  OptionSpec& spec = *options_.emplace_back(std::make_unique<OptionSpec>());
  for (const std::string_view name : split(names, ','))
    if (name.starts_with("--"))
      spec.words.emplace_back(name.substr(2));
    else if (name.starts_with('-'))
      spec.letter = name[1];
    else
      spec.argument = name;
  spec.about = about;
  return spec;
}

template <class T>
Option Command::option(const std::string& names, T& value, const std::string& about) {
  OptionSpec& spec = add(names, about);
  spec.takes = std::is_same_v<T, std::vector<std::string>> ? Takes::many : Takes::one;
  spec.greedy = spec.takes == Takes::many;
  spec.value_name = kValueName<T>;
  spec.store = [&value](const std::vector<std::string>& values) {
    return read_value(values, value);
  };
  return Option(spec);
}
template Option Command::option(const std::string&, std::string&, const std::string&);
template Option Command::option(const std::string&, std::vector<std::string>&, const std::string&);
template Option Command::option(const std::string&, unsigned&, const std::string&);
template Option Command::option(const std::string&, std::uint64_t&, const std::string&);
template Option Command::option(const std::string&, std::optional<unsigned>&, const std::string&);

Option Command::choice(const std::string& names, int& value, const std::string& about,
                       const std::vector<std::pair<std::string, int>>& words) {
  OptionSpec& spec = add(names, about);
  spec.takes = Takes::one;
  spec.value_name = "ENUM";
  std::vector<std::string> known;
  for (const auto& [word, number] : words) known.push_back(word);
  spec.allowed = in_braces(known);
  const auto find = [words](const std::string& text) {
    return std::ranges::find_if(words,
                                [&](const auto& one) {
                                  return one.first == text || std::to_string(one.second) == text;
                                }) -
           words.begin();
  };
  const auto count = static_cast<std::ptrdiff_t>(words.size());
  spec.problem = [find, count, &spec](const std::string& text) {
    if (find(text) < count) return std::string();
    return fmt::format("{} is none of {}", text, spec.allowed);
  };
  spec.store = [find, words, &value](const std::vector<std::string>& values) {
    value = words[static_cast<std::size_t>(find(values.front()))].second;
    return true;
  };
  return Option(spec);
}

Option Command::flag(const std::string& names, bool& value, const std::string& about) {
  OptionSpec& spec = add(names, about);
  spec.store = [&value](const std::vector<std::string>& values) {
    return read_flag(values, value);
  };
  return Option(spec);
}

std::vector<Option> Command::options() const {
  std::vector<Option> out;
  for (const auto& spec : options_) out.emplace_back(*spec);
  return out;
}

Program::Program(const std::string& name, const std::string& about, const std::string& version)
    : self_(name, about), version_(version) {
  self_.subcommands_ = &commands_;
  self_.add("--version", "Display program version information and exit");
}

Command& Program::add(const std::string& name, const std::string& about) {
  Command& command = *commands_.emplace_back(std::make_unique<Command>(name, about));
  command.footer(self_.footer_);
  return command;
}

Command* Program::find(std::string_view name) const {
  for (const auto& command : commands_)
    if (command->name() == name) return command.get();
  return nullptr;
}

}  // namespace evname::tools
