// From the words of a command line to the options they give.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cli/command.hpp"
#include "cli/spec.hpp"
#include "text.hpp"

namespace evname::tools {
namespace {

using Takes = OptionSpec::Takes;

/// Can an option have this letter, or a name that begins with it?
bool can_begin(char c) { return c != '-' && c != '!' && c != ' ' && c != '\n'; }

bool is_long(const std::string& word) {
  return word.size() > 2 && word.starts_with("--") && can_begin(word[2]);
}

/// A negative number is none.
bool is_short(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && can_begin(word[1]) &&
         !(word[1] >= '0' && word[1] <= '9');
}

bool is_option(const std::string& word) { return is_long(word) || is_short(word); }

/// Adds the values of a word: "a", "a,b" where commas part them, "[a,b]" where all words are taken.
/// How many they are.
std::size_t give(OptionSpec& spec, const std::string& word) {
  const bool listed =
      spec.greedy && word.size() > 1 && word.starts_with('[') && word.ends_with(']');
  if (!listed && !(spec.commas && word.find(',') != word.npos)) {
    spec.given.push_back(word);
    return 1;
  }
  const std::string_view list = word;
  std::size_t count = 0;
  for (const std::string_view value : split(listed ? list.substr(1, list.size() - 2) : list, ','))
    if (!value.empty()) {
      spec.given.emplace_back(value);
      ++count;
    }
  return count;
}

/// What is wrong with the values that were given; "": nothing, and they are kept.
std::string keep(OptionSpec& spec) {
  if (spec.given.empty() || !spec.store) return {};
  if (spec.problem)
    for (const std::string& value : spec.given)
      if (const std::string problem = spec.problem(value); !problem.empty())
        return fmt::format("{}: {}", spec.name(), problem);
  if (spec.takes == Takes::one && spec.given.size() > 1)
    return fmt::format("{}: At Most 1 required but received {}", spec.name(), spec.given.size());
  if (spec.store(spec.given)) return {};
  return fmt::format("this is no number, or none that fits: {} = {}", spec.name(),
                     fmt::join(spec.given, ","));
}

}  // namespace

/// Goes through the words from the left; the program's options, a subcommand, its options.
class WordReader {
 public:
  WordReader(const Program& program, Command& self, std::vector<std::string> words)
      : program_(program), self_(self), words_(std::move(words)) {}

  bool read() {
    for (bool plain = false; mistake_.empty() && at_ < words_.size();) read_word(self_, plain);
    return mistake_.empty();
  }
  bool keep_values() {
    for (const auto& spec : self_.options_)
      if (mistake_.empty()) mistake_ = keep(*spec);
    if (chosen_ != nullptr)
      for (const auto& spec : chosen_->options_)
        if (mistake_.empty()) mistake_ = keep(*spec);
    return mistake_.empty();
  }
  bool wants_version() const { return !self_.options_[1]->given.empty(); }
  bool wants_help() const {
    return !self_.options_.front()->given.empty() ||
           (chosen_ != nullptr && !chosen_->options_.front()->given.empty());
  }
  bool has_all() {
    check(self_);
    if (mistake_.empty() && chosen_ == nullptr) mistake_ = "A subcommand is missing";
    if (mistake_.empty()) check(*chosen_);
    return mistake_.empty() && has_no_extra() && has_rest();
  }

  Command* chosen() const { return chosen_; }
  Parsed result() const { return {false, chosen_, mistake_, extra_}; }

 private:
  struct Extra {
    std::string word;
    bool dashes;
  };

  std::vector<Extra>& extras_of(const Command& command) {
    return &command == &self_ ? own_extras_ : extras_;
  }

  /// False: the word after this one is not for the command.
  bool read_word(Command& command, bool& plain) {
    const std::string& word = words_[at_];
    const bool own = &command == &self_;
    if (!plain && word == "--") {
      ++at_;
      plain = true;
      if (!own && !has_free_argument(command)) return false;
      extras_of(command).push_back({word, true});
      return true;
    }
    if (!plain && own && chosen_ == nullptr && program_.find(word) != nullptr) {
      chosen_ = program_.find(word);
      ++at_;
      for (bool its_plain = false; mistake_.empty() && at_ < words_.size();)
        if (!read_word(*chosen_, its_plain)) break;
    } else if (!plain && is_option(word)) {
      read_option(command);
    } else {
      read_argument(command);
    }
    return true;
  }

  static bool has_free_argument(const Command& command) {
    return std::ranges::any_of(command.options_, [](const auto& spec) {
      return !spec->argument.empty() && spec->given.empty();
    });
  }

  static OptionSpec* find(const Command& command, const std::string& word, bool by_letter) {
    const std::string name = word.substr(2, word.find('=') - 2);
    for (const auto& spec : command.options_)
      if (by_letter ? spec->letter == word[1] : std::ranges::count(spec->words, name) > 0)
        return spec.get();
    return nullptr;
  }

  void read_option(Command& command) {
    const std::string word = words_[at_++];
    const bool by_letter = !is_long(word);
    OptionSpec* spec = find(command, word, by_letter);
    if (spec == nullptr) {
      extras_of(command).push_back({word, false});
      return;
    }
    const auto equals = word.find('=');
    const std::string rest = by_letter             ? word.substr(2)
                             : equals == word.npos ? std::string()
                                                   : word.substr(equals + 1);
    if (spec->takes != Takes::nothing) {
      read_values(command, *spec, rest);
    } else if (by_letter) {
      spec->given.push_back("true");
      if (!rest.empty()) words_[--at_] = "-" + rest;  // more letters
    } else {
      spec->given.push_back(rest.empty() || rest == "{}" ? "true" : rest);
    }
  }

  void read_values(const Command& command, OptionSpec& spec, const std::string& first) {
    std::size_t count = first.empty() ? 0 : give(spec, first);
    while (count == 0 && at_ < words_.size()) count = give(spec, words_[at_++]);
    if (count == 0)
      mistake_ = fmt::format("{}: its value is missing: {}", spec.name(), spec.type());
    if (count == 0 || !spec.greedy) return;
    while (at_ < words_.size() && !is_option(words_[at_]) && words_[at_] != "--" &&
           words_.size() - at_ > required_arguments(command))
      give(spec, words_[at_++]);
    if (at_ < words_.size() && words_[at_] == "--") ++at_;  // ends the list
  }

  static std::size_t required_arguments(const Command& command) {
    return static_cast<std::size_t>(std::ranges::count_if(command.options_, [](const auto& spec) {
      return !spec->argument.empty() && spec->required && spec->given.empty();
    }));
  }

  void read_argument(Command& command) {
    const std::string& word = words_[at_++];
    for (const auto& spec : command.options_)
      if (!spec->argument.empty() && (spec->given.empty() || spec->greedy)) {
        give(*spec, word);
        return;
      }
    extras_of(command).push_back({word, false});
    if (!command.runs_another()) return;
    while (at_ < words_.size()) extras_of(command).push_back({words_[at_++], false});
  }

  void check(const Command& command) {
    for (const auto& spec : command.options_) {
      if (!mistake_.empty()) return;
      if (spec->required && spec->given.empty()) mistake_ = spec->name() + " is missing";
      for (const OptionSpec* other : spec->excluded)
        if (!spec->given.empty() && !other->given.empty() && mistake_.empty())
          mistake_ = fmt::format("{} excludes {}", spec->name(), other->name());
    }
  }

  bool has_no_extra() {
    const auto is_word = [](const Extra& extra) { return !extra.dashes; };
    const bool own = std::ranges::any_of(own_extras_, is_word);
    if (!own && (chosen_->runs_another() || std::ranges::none_of(extras_, is_word))) return true;
    extra_ = own_extras_.empty() ? extras_.front().word : own_extras_.front().word;
    mistake_ = fmt::format("{} is not expected", *extra_);
    return false;
  }

  /// Hands over the words of the other command, and asks for what is missing.
  bool has_rest() {
    if (chosen_->runs_another())
      for (const Extra& extra : extras_) chosen_->other_words_->push_back(extra.word);
    if (!chosen_->action_) return true;
    if (const std::string_view missing = chosen_->action_->missing(); !missing.empty())
      mistake_ = fmt::format("{} is missing", missing);
    return mistake_.empty();
  }

  const Program& program_;
  Command& self_;
  std::vector<std::string> words_;
  std::size_t at_ = 0;
  Command* chosen_ = nullptr;
  std::vector<Extra> own_extras_, extras_;  ///< words that are nobody's
  std::string mistake_;
  std::optional<std::string> extra_;
};

namespace {

/// `evname stat … -- COMMAND`: what follows the dashes is the other command's, from the first word
/// that is no option on.
std::vector<std::string> without_dashes(const Program& program, std::vector<std::string> words) {
  const auto command = std::ranges::find_if(
      words, [&](const std::string& word) { return program.find(word) != nullptr; });
  const auto dashes = std::ranges::find(words, "--");
  if (command < dashes && dashes != words.end() && program.find(*command)->runs_another())
    words.erase(dashes);
  return words;
}

}  // namespace

Parsed Program::parse(const std::vector<std::string>& words) {
  WordReader reader(*this, self_, without_dashes(*this, words));
  if (!reader.read()) return reader.result();
  Parsed out = reader.result();
  if (reader.wants_version()) {
    fmt::print("{}\n", version_);
    out.answered = true;
  } else if (!reader.keep_values()) {
    return reader.result();
  } else if (reader.wants_help()) {
    const std::string usage =
        out.command == nullptr ? self_.name() : self_.name() + " " + out.command->name();
    fmt::print("{}", (out.command == nullptr ? self_ : *out.command).help(usage));
    out.answered = true;
  } else {
    reader.has_all();
    out = reader.result();
  }
  return out;
}

}  // namespace evname::tools
