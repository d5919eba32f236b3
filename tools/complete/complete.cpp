// Finds the completions at the cursor, and prints them for a shell.

#include "complete/complete.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/enum_table.hpp"
#include "base/glob.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "events/syntax/kernel_names.hpp"
#include "evname/annotate.hpp"
#include "evname/attr.hpp"
#include "evname/encoding.hpp"
#include "evname/machine.hpp"
#include "evname/report.hpp"
#include "input/machine.hpp"
#include "input/recording.hpp"
#include "output/standard.hpp"

namespace evname::tools {
namespace {

struct Place {
  const Command* command = nullptr;  ///< the subcommand, or the program; nullptr: no such
  Option option;  ///< the option whose value is typed; none: an option or subcommand
  bool of_other_program = false;  ///< after `--` of `evname stat … -- COMMAND`
  std::string head;               ///< the part of the word before the typed value: "--cpu="
  std::string typed;
  MachineOptions machine;  ///< the options of the words before it
};

/// Follows the words from the left.
class Walk {
 public:
  explicit Walk(const Program& program) : program_(program) { place_.command = &program.self(); }

  void pass(const std::string& word) {
    if (place_.of_other_program || place_.command == nullptr) return;
    if (waiting_)
      note(std::exchange(waiting_, {}), word);
    else if (word == "--")
      only_arguments();
    else if (is_option(word))
      pass_option(word);
    else
      pass_argument(word);
  }

  Place end_at(const std::string& word) {
    place_.typed = word;
    if (place_.of_other_program || place_.command == nullptr) return std::move(place_);
    if (waiting_)
      place_.option = waiting_;
    else if (is_option(word))
      end_at_option(word);
    else if (place_.command != &program_.self())
      end_at_argument();
    return std::move(place_);
  }

 private:
  bool is_option(const std::string& word) const {
    return word.starts_with('-') && word != "-" && !arguments_only_;
  }

  void only_arguments() {
    arguments_only_ = true;
    place_.of_other_program = place_.command->runs_another();
  }

  Option find(const std::string& name) const {
    for (const Option& option : place_.command->options())
      if (option.is_spelled(name)) return option;
    return {};
  }

  void pass_option(const std::string& word) {
    const auto equals = word.find('=');
    const Option option = find(word.substr(0, equals));
    if (!option || !option.takes_value() || option.may_be_bare()) return;
    if (equals == word.npos)
      waiting_ = option;
    else
      note(option, word.substr(equals + 1));
  }

  void pass_argument(const std::string& word) {
    if (place_.command == &program_.self()) {
      place_.command = program_.find(word);
      return;
    }
    if (const Option argument = this->argument()) note(argument, word);
    ++arguments_;
    place_.of_other_program = place_.command->runs_another();
  }

  void end_at_option(const std::string& word) {
    const auto equals = word.find('=');
    if (equals == word.npos || !word.starts_with("--")) return;
    place_.option = find(word.substr(0, equals));
    place_.head = word.substr(0, equals + 1);
    place_.typed = word.substr(equals + 1);
    if (!place_.option) place_.command = nullptr;
  }

  void end_at_argument() {
    place_.option = argument();
    place_.of_other_program = place_.command->runs_another();
    if (!place_.option && !place_.of_other_program) place_.command = nullptr;
  }

  /// The next positional argument; the last one if it takes several.
  Option argument() const {
    std::size_t left = arguments_;
    for (const Option& option : place_.command->options()) {
      if (!option.is_positional()) continue;
      if (left == 0 || option.takes_many()) return option;
      --left;
    }
    return {};
  }

  void note(const Option& option, const std::string& value) {
    if (option.value_name() == "CPU" && place_.machine.cpu.empty()) place_.machine.cpu = value;
    if (option.is_spelled("--input")) place_.machine.input = value;
    if (option.is_spelled("--sysfs")) place_.machine.sysfs = value;
    if (option.is_spelled("--events") && option.value_name() == "DIR")
      place_.machine.events = value;
  }

  const Program& program_;
  Place place_;
  Option waiting_;             ///< for its value
  std::size_t arguments_ = 0;  ///< positional ones so far
  bool arguments_only_ = false;
};

/// `words` are all after "evname"; the last is the one at the cursor.
Place find_place(const Program& program, std::span<const std::string> words) {
  Walk walk(program);
  if (words.empty()) return walk.end_at("");
  for (const std::string& word : words.first(words.size() - 1)) walk.pass(word);
  return walk.end_at(words.back());
}

struct Candidate {
  std::string text;
  std::string about;  ///< may be empty
};

/// The kind of an answer; shells complete files and directories themselves.
enum class How { words, list, files, directories };

struct Completion {
  How how = How::words;
  std::vector<Candidate> candidates;
};

/// The models of --cpu.
std::vector<Candidate> model_names() {
  std::vector<Candidate> out;
  for (const ModelInfo& model : models()) {
    out.push_back({std::string(model.name), std::string(model.arch)});
    for (const std::string_view name : model.short_names)
      out.push_back({std::string(name), std::string(model.name)});
  }
  return out;
}

/// Where the last item of "a,{b,pmu/x=1,y=2/,c" begins; npos: inside the terms of a PMU.
std::size_t last_item(std::string_view typed) {
  std::size_t begin = 0;
  bool in_terms = false;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    if (typed[i] == '/') in_terms = !in_terms;
    if (!in_terms && (typed[i] == ',' || typed[i] == '{')) begin = i + 1;
  }
  return in_terms ? typed.npos : begin;
}

/// For a glob of models, as `evname emit` takes it, the first of them.
MachineOptions of_one_model(MachineOptions options) {
  if (options.cpu.find('*') == options.cpu.npos) return options;
  const std::string glob = to_lower(options.cpu);
  for (const Candidate& model : model_names())
    if (glob_match(glob, to_lower(model.text))) {
      options.cpu = model.text;
      break;
    }
  return options;
}

/// The rest of `name` after `typed`, in capitals if `typed` is.
std::string rest_of(std::string name, std::string_view typed) {
  const bool capitals = to_lower(typed) != typed &&
                        std::ranges::none_of(typed, [](char c) { return c >= 'a' && c <= 'z'; });
  name.erase(0, typed.size());
  if (capitals)
    for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return name;
}

/// The kernel's own names; every machine has them.
void add_generic(std::map<std::string, std::string>& names) {
  for (syntax::GenericEvent& event : syntax::generic_events())
    if (event.type != kTypeHwCache)
      names.emplace(std::move(event.name), fmt::format("{} event", event.pmu));
}

/// Names of PMUs.
std::vector<Candidate> pmu_names(const MachineOptions& options) {
  std::vector<Candidate> out;
  const auto machine = options.open();
  if (!machine) return out;
  for (const PmuInfo& pmu : machine->pmus()) out.push_back({pmu.name, {}});
  return out;
}

/// Names of events that begin as typed (ignoring case), for the last item of an event list: after
/// the last comma or brace outside slashes. None for modifiers or terms.
std::vector<Candidate> event_names(const MachineOptions& options, std::string_view typed) {
  const std::size_t begin = last_item(typed);
  if (begin == typed.npos) return {};
  const std::string_view item = typed.substr(begin);
  if (item.find_first_of(":/}*?[\\") != item.npos) return {};
  const auto machine = of_one_model(options).open();
  if (!machine) return {};
  std::map<std::string, std::string> names;
  for (EventInfo& event : machine->events(std::string(item) + "*"))
    names.emplace(std::move(event.name), std::move(event.desc));
  add_generic(names);
  std::vector<Candidate> out;
  const std::string lower = to_lower(item);
  for (auto& [name, about] : names)
    if (to_lower(name).starts_with(lower))
      out.push_back({std::string(typed) + rest_of(name, item), std::move(about)});
  return out;
}

Completion cpus(const Place&) { return {How::words, model_names()}; }
Completion pmus(const Place& place) { return {How::words, pmu_names(place.machine)}; }
Completion files(const Place&) { return {How::files, {}}; }
Completion directories(const Place&) { return {How::directories, {}}; }

Completion event(const Place& place) {
  return {How::words, event_names(place.machine, place.typed)};
}
Completion events(const Place& place) {
  return {How::list, event_names(place.machine, place.typed)};
}

/// The candidates for the item after the last comma.
Completion after_comma(const Place& place, std::vector<Candidate> words) {
  const auto comma = place.typed.rfind(',');
  const std::string head = comma == place.typed.npos ? "" : place.typed.substr(0, comma + 1);
  for (Candidate& word : words) word.text.insert(0, head);
  return {How::list, std::move(words)};
}

Completion fields(const Place& place) {
  std::vector<Candidate> words;
  for (const FieldInfo& field : all_fields())
    words.push_back({std::string(field.name), std::string(field.what)});
  return after_comma(place, std::move(words));
}

Completion sort_key(const Place& place) {
  std::vector<Candidate> words;
  for (const SortKeyInfo& row : sort_keys())
    if (!row.name.empty()) words.push_back({std::string(row.name), {}});
  return after_comma(place, std::move(words));
}

struct Kind {
  std::string_view name;  ///< as help calls the value
  Completion (*answer)(const Place& place);
};
constexpr Kind kKinds[] = {{"CPU", cpus},      {"EVENT", event},   {"EVENTS", events},
                           {"GLOB", event},    {"FILE", files},    {"DIR", directories},
                           {"FIELDS", fields}, {"KEYS", sort_key}, {"PMU", pmus}};

const Kind* find_kind(std::string_view name) {
  const auto* kind = std::ranges::find(kKinds, name, &Kind::name);
  return kind == std::end(kKinds) ? nullptr : kind;
}

/// Completes a value of the option's set, or by the name of its value ("CPU", "EVENT", "FILE").
Completion values_of(const Place& place) {
  Completion answer;
  for (std::string& value : place.option.values())
    answer.candidates.push_back({std::move(value), {}});
  if (!answer.candidates.empty()) return answer;
  const Kind* kind = find_kind(place.option.value_name());
  if (kind == nullptr) kind = find_kind(place.option.argument_name());
  return kind == nullptr ? answer : kind->answer(place);
}

constexpr auto kHow = enum_values<How>({{How::words, "words"},
                                        {How::list, "list"},
                                        {How::files, "files"},
                                        {How::directories, "dirs"}});

Completion options_of(const Command& command) {
  Completion answer;
  for (const Option& option : command.options())
    for (std::string& name : option.spellings())
      answer.candidates.push_back({std::move(name), option.about()});
  return answer;
}

Completion subcommands_of(const Program& program) {
  Completion answer;
  for (const auto& command : program.commands())
    answer.candidates.push_back({command->name(), command->about()});
  return answer;
}

Completion answer_at(const Program& program, const Place& place) {
  if (place.of_other_program) return {How::files, {}};
  if (place.command == nullptr) return {};
  if (place.option) return values_of(place);
  return place.typed.starts_with('-') ? options_of(*place.command) : subcommands_of(program);
}

/// File names may contain control characters; these must not get to the shell.
bool is_word(const std::string& text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) <= ' '; });
}

std::string line_of(const std::string& about) {
  std::string out = about;
  std::ranges::replace_if(
      out, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return out;
}

/// `cut` is how much of each word the shell keeps itself.
int print(const Completion& answer, const Place& place, std::size_t cut, bool described) {
  std::string out = fmt::format("{}\n", kHow[answer.how].value);
  for (const Candidate& candidate : answer.candidates) {
    if (!candidate.text.starts_with(place.typed) || !is_word(candidate.text)) continue;
    const std::string word = place.head + candidate.text;
    out += word.substr(std::min(cut, word.size()));
    if (described && !candidate.about.empty()) out += "\t" + line_of(candidate.about);
    out += '\n';
  }
  return to_stdout(out) ? kDone : kUnusable;
}

/// A line of shell input, as far as the cursor.
struct CommandLine {
  std::vector<std::string> words;  ///< without their quotes; the last is at the cursor, maybe empty
  std::size_t break_at = 0;        ///< the offset where bash begins another word
};

constexpr std::string_view kBlanks = " \t\n";
constexpr std::string_view kQuotes = "'\"";

/// Splits at spaces, outside quotes; `breaks` are the other characters bash parts words at.
CommandLine split_line(std::string_view text, std::string_view breaks) {
  CommandLine line;
  line.words.emplace_back();
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    std::string& word = line.words.back();
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && kQuotes.find(c) != kQuotes.npos) {
      quote = c;
      line.break_at = word.size();
    } else if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      word += text[++i];
    } else if (quote == 0 && kBlanks.find(c) != kBlanks.npos) {
      if (!word.empty()) line.words.emplace_back();
      line.break_at = 0;
    } else {
      word += c;
      if (quote == 0 && breaks.find(c) != breaks.npos) line.break_at = word.size();
    }
  }
  return line;
}

}  // namespace

int complete(const Program& program, const std::vector<std::string>& words) {
  constexpr std::size_t kFirst = 3;  // after "complete SHELL --"
  if (words.size() <= kFirst) return kUnusable;
  const bool bash = words[1] == "bash";
  CommandLine line;
  if (bash)
    line = split_line(words[kFirst], words.size() > kFirst + 1 ? words[kFirst + 1] : "");
  else
    line.words.assign(words.begin() + kFirst, words.end());
  const Place place = find_place(program, std::span(line.words).subspan(1));
  return print(answer_at(program, place), place, line.break_at, !bash);
}

}  // namespace evname::tools
