#include "metrics/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "input/machine.hpp"
#include "input/recording.hpp"
#include "screen/screen.hpp"

namespace evname::tools {
namespace {

/// "smt_on=1"
bool is_fact(std::string_view text, std::string_view& name, double& value) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos) return false;
  name = text.substr(0, equals);
  const std::string number(text.substr(equals + 1));
  char* end = nullptr;
  value = std::strtod(number.c_str(), &end);
  return number.find_first_not_of("0123456789.eE+-") == number.npos &&
         end == number.c_str() + number.size() && !number.empty() && std::isfinite(value);
}

}  // namespace

std::string fact_problem(const std::string& text) {
  std::string known;
  for (const std::string_view name : MetricFacts::names())
    known += (known.empty() ? "" : ", ") + std::string(name.substr(1));
  std::string_view name;
  double value = 0;
  if (is_fact(text, name, value))
    for (const std::string_view one : MetricFacts::names())
      if (one == name || one.substr(1) == name) return {};
  return fmt::format("'{}' is not NAME=NUMBER with one of the names {}", text, known);
}

void set_facts(std::span<const std::string> texts, MetricFacts& facts) {
  for (const std::string& text : texts) {
    std::string_view name;
    double value = 0;
    if (is_fact(text, name, value)) facts.set(name, value);
  }
}

void MetricOptions::add_to(Command& command) {
  machine.add_to(command);
  command.option("GLOB", glob, "Only names like this (any case), such as 'branch*'");
  command.option("--group", group, "Only metrics of this group").value_name("GROUP");
  command.flag("--groups", groups, "List the groups instead");
  command
      .option("--show", shown,
              "Print all about this metric, or the metrics of this group; repeatable")
      .value_name("METRIC")
      .one_value_each();
  command
      .option("--from", from,
              "Compute values from counts: the output of perf stat (also with -x or --json), or a "
              "file of "
              "perf stat record; - is standard input")
      .value_name("FILE");
  command.option("--expr", expressions, "A metric of your own; repeatable")
      .value_name("NAME=EXPRESSION")
      .one_value_each();
  command.option("-x,--separator", separator, "The separator of perf stat -x; default: detected")
      .value_name("TEXT");
  command.option("--per", per, "Add up the counts of a perf stat record file for each of these")
      .one_of({"total", "cpu", "core", "die", "socket", "thread"});
  command.option("--fact", facts, "Set the fact that metrics call #NAME: smt_on=1; repeatable")
      .value_name("NAME=VALUE")
      .one_value_each()
      .checked_by(fact_problem);
  command.choice("--latency", latency,
                 "The retirement latency of the tables that EVENT:R stands for; default: mean",
                 {{"mean", static_cast<int>(MetricFacts::Latency::mean)},
                  {"min", static_cast<int>(MetricFacts::Latency::min)},
                  {"max", static_cast<int>(MetricFacts::Latency::max)}});
  command.flag("--json", json, "One JSON object per line");
}

void MetricOptions::overrule(MetricFacts& of) const {
  of.set_latency(static_cast<MetricFacts::Latency>(latency));
  set_facts(facts, of);
}

MetricFacts MetricOptions::facts_of(const Machine& of) const {
  Roots roots;
  if (!machine.sysfs.empty()) roots.sysfs = machine.sysfs;
  MetricFacts out = machine.cpu.empty() ? MetricFacts::live(of, roots) : MetricFacts(of);
  if (!machine.input.empty())
    if (const auto file = Recording::open(machine.input, user_events()))
      out = recorded_facts(*file);
  overrule(out);
  return out;
}

ScheduleOptions MetricOptions::schedule_options() const {
  const bool live = machine.cpu.empty() && machine.input.empty() && machine.sysfs.empty();
  return live ? ScheduleOptions::live() : ScheduleOptions{};
}

namespace {

/// Returns the words of an expression that are events if their hyphens are not subtractions.
std::set<std::string> hyphenated_events(const Machine& machine, std::string_view expression) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-\\@:";
  std::set<std::string> out, others;
  while (!expression.empty()) {
    const auto end = std::min(expression.find_first_not_of(kLetters), expression.size());
    const std::string word(expression.substr(0, end));
    expression.remove_prefix(std::max<std::size_t>(end, 1));
    if (word.find('-') == word.npos || word.find_first_of("\\@:") != word.npos) continue;
    if (out.contains(word) || others.contains(word)) continue;
    (machine.resolve(word) ? out : others).insert(word);
  }
  return out;
}

/// Returns the correct spelling of an event with hyphens.
void hint_at_hyphens(const Machine& machine, std::string_view expression) {
  for (const std::string& word : hyphenated_events(machine, expression)) {
    std::string escaped;
    for (const char c : word) (escaped += c == '-' ? "\\" : "") += c;
    tell_note("'{}' is a subtraction; for the event of that name write {}", word, escaped);
  }
}

}  // namespace

std::optional<MetricSet> metric_set(const Machine& machine, const MetricFacts& facts,
                                    std::span<const std::string> names,
                                    std::span<const std::string> expressions) {
  MetricSet set(machine, facts);
  const auto tell = [](const std::string& query, const Result<void>& done) {
    if (!done) tell_error("{}: {}", query, done.error().text());
    return done.has_value();
  };
  bool any = false;
  std::set<std::string_view> added;
  for (const std::string& name : names)
    if (added.insert(name).second) any |= tell(name, set.add(name));
  for (const std::string& text : expressions) {
    const std::size_t equals = text.find('=');
    hint_at_hyphens(machine, text);
    const bool named = equals != text.npos && text.find_first_of("\\@ (") > equals;
    any |= tell(text, set.add_expression(named ? text.substr(0, equals) : text,
                                         named ? std::string_view(text).substr(equals + 1)
                                               : std::string_view(text)));
  }
  for (const std::string& warning : set.warnings()) tell_warning("{}", warning);
  if (!any) return std::nullopt;
  return set;
}

}  // namespace evname::tools
