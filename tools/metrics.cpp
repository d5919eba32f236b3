// evname metrics: lists metrics and their events, and computes values from files of counts.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/nearest_names.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "input/counts.hpp"
#include "input/machine.hpp"
#include "metrics/options.hpp"
#include "metrics/output.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {

namespace {

constexpr std::pair<const char*, CountsPer> kPer[] = {
    {"", CountsPer::recorded},    {"total", CountsPer::total}, {"cpu", CountsPer::cpu},
    {"core", CountsPer::core},    {"die", CountsPer::die},     {"socket", CountsPer::socket},
    {"thread", CountsPer::thread}};

CountsPer per_of(const std::string& word) {
  for (const auto& [name, per] : kPer)
    if (word == name) return per;
  return CountsPer::recorded;
}

/// Every selected metric of the machine; metrics that can't be computed are only counted.
MetricSet all_metrics(const MetricOptions& options, const Machine& machine,
                      const MetricFacts& facts) {
  MetricSet set(machine, facts);
  std::size_t failed = 0;
  std::string reason;
  for (const MetricInfo& metric : list_metrics(machine, options.glob, options.group)) {
    const auto added = set.add(metric.name);
    if (added) continue;
    if (failed++ == 0) reason = fmt::format("{}: {}", metric.name, added.error().text());
  }
  if (failed > 0)
    tell_note("{} can't be computed, as {}; see --fact", counted(failed, "metric", "metrics"),
              reason);
  return set;
}

std::optional<MetricSet> chosen_metrics(const MetricOptions& options, const TakenCounts& taken) {
  if (options.shown.empty() && options.expressions.empty())
    return all_metrics(options, *taken.machine, *taken.facts);
  return metric_set(*taken.machine, *taken.facts, options.shown, options.expressions);
}

/// The places where a metric was left out for lack of counts.
struct Gaps {
  std::size_t count = 0;
  std::string first;  ///< time or place
  Lack lack;          ///< there
};

/// The metrics that were left out for lack of counts.
using LeftOut = std::map<std::string, Gaps>;

void add(const std::string& metric, const CountGroup& group, const Lack& lack, LeftOut& out) {
  Gaps& gaps = out[metric];
  if (gaps.count++ > 0) return;
  gaps.first = group.time ? fmt::format("{:.9f}{}{}", *group.time, group.place.empty() ? "" : " ",
                                        group.place)
                          : group.place;
  gaps.lack = lack;
}

/// Reports the metrics with values at only some places.
void tell_gaps(const LeftOut& out, std::size_t places) {
  if (out.empty()) return;
  const auto& [metric, gaps] = *out.begin();
  tell_note("{} lacks counts for {} of {} intervals or places, such as {} ({})", metric, gaps.count,
            places, gaps.first, gaps.lack.why);
  if (out.size() > 1)
    tell_note("{}", counted(out.size() - 1, "more metric lacks counts for some of them",
                            "more metrics lack counts for some of them"));
}

/// Reports the number of metrics without a value, and the one that lacks the fewest counts; `any`:
/// others have a value.
void tell_left_out(const LeftOut& out, bool any) {
  if (out.empty()) return;
  const auto& [metric, gaps] = *std::ranges::min_element(
      out, {}, [](const auto& one) { return one.second.lack.missing.size(); });
  if (any)
    tell_note("{}, such as {} ({})",
              counted(out.size(), "metric lacks counts and is left out",
                      "metrics lack counts and are left out"),
              metric, gaps.lack.why);
  else
    tell_error("none of {} can be computed from these counts; {} is missing the fewest ({})",
               counted(out.size(), "metric", "metrics"), metric, gaps.lack.why);
}

/// False: a value is missing. With `only_complete`, leaves out metrics that lack a count.
bool print_values(const MetricSet& set, const TakenCounts& taken, bool only_complete, bool json) {
  bool all = true;
  std::set<std::string> printed;
  LeftOut left_out;
  CountMatcher matcher(*taken.machine, set.events());
  for (const CountGroup& group : taken.counts.groups) {
    const auto counts = matcher.match(group);
    const auto values = set.evaluate(counts);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const MetricInfo& metric = set.metrics()[i];
      const Lack lack = lack_of(set, i, counts, values[i], group);
      const std::string name = metric.name + of_pmu(metric);
      if (only_complete && !lack.missing.empty()) {
        add(name, group, lack, left_out);
        continue;
      }
      print_value(metric, values[i], group, lack, json);
      printed.insert(name);
      all &= !values[i].gives_up && lack.missing.empty();
    }
  }
  for (const std::string& warning : matcher.warnings()) tell_warning("{}", warning);
  LeftOut in_part;
  for (const std::string& name : printed) in_part.insert(left_out.extract(name));
  tell_gaps(in_part, taken.counts.groups.size());
  tell_left_out(left_out, !printed.empty());
  return all && !printed.empty();
}

/// `--from FILE`: one value for each metric, interval and place.
int evaluate_counts(const MetricOptions& options) {
  const bool with_machine = options.machine.cpu.empty() && options.machine.input.empty();
  auto read = take_counts({options.from, options.separator, per_of(options.per), with_machine});
  if (!read) return kUnusable;
  TakenCounts& taken = *read;
  if (!taken.machine) {
    if (!open_named_machine(options.machine, taken.machine)) return kUnusable;
    taken.facts = options.facts_of(*taken.machine);
  }
  if (taken.counts.whole_cores)
    for (const char* fact : {"#core_wide", "#target_cpu"}) taken.facts->set(fact, 1);
  options.overrule(*taken.facts);
  const auto set = chosen_metrics(options, taken);
  if (!set) return options.expressions.empty() ? kPartial : kUnusable;
  const bool everything = options.shown.empty() && options.expressions.empty();
  return print_values(*set, taken, everything, options.json) ? kDone : kPartial;
}

int list_groups(const MetricOptions& options) {
  std::optional<Machine> machine;
  if (!open_named_machine(options.machine, machine)) return kUnusable;
  const auto groups = list_metric_groups(*machine);
  for (const MetricInfo::Group& group : groups) print_group(group, options.json);
  return groups.empty() ? kPartial : kDone;
}

std::string nearest_group(const Machine& machine, const std::string& group) {
  std::vector<std::string> names;
  for (const MetricInfo::Group& one : list_metric_groups(machine)) names.push_back(one.name);
  const std::string hint = nearest_hint(group, names);
  return hint.empty() ? hint : hint + ' ';
}

/// Returns the nearest metrics, and a hint about globs.
std::string hint_of(const Machine& machine, const MetricOptions& options) {
  std::vector<std::string> names;
  for (const MetricInfo& one : list_metrics(machine, "*", options.group)) names.push_back(one.name);
  const std::string hint = nearest_hint(options.glob, names);
  return (hint.empty() ? hint : fmt::format(" ({})", hint)) + glob_hint(options.glob);
}

int list(const MetricOptions& options) {
  std::optional<Machine> machine;
  if (!open_named_machine(options.machine, machine)) return kUnusable;
  const auto metrics = list_metrics(*machine, options.glob, options.group);
  print_metrics(metrics, options.json);
  if (!metrics.empty()) return kDone;
  const std::string& model = machine->cpu().model;
  const std::string where = model.empty() ? "this machine" : model;
  if (list_metrics(*machine, "*", options.group).empty())
    tell_error("{} has no metrics{}{}", where, options.group.empty() ? "" : " of a group ",
               options.group.empty() ? ""
                                     : fmt::format("'{}' ({}--groups lists them)", options.group,
                                                   nearest_group(*machine, options.group)));
  else
    tell_error("no metric of {} matches '{}'{}", where, options.glob, hint_of(*machine, options));
  return kPartial;
}

int show_metrics(const MetricOptions& options) {
  std::optional<Machine> machine;
  if (!open_named_machine(options.machine, machine)) return kUnusable;
  bool all = true;
  for (const std::string& name : options.shown) {
    const auto set = metric_set(*machine, options.facts_of(*machine), std::span(&name, 1));
    if (set) {
      all &= print_set(*set, options.schedule_options(), options.json);
    } else {
      all = false;
      print_infos(list_metrics(*machine, name), options.json);
    }
  }
  for (const std::string& text : options.expressions) {
    const auto set = metric_set(*machine, options.facts_of(*machine), {}, std::span(&text, 1));
    if (!set) return kUnusable;
    all &= print_set(*set, options.schedule_options(), options.json);
  }
  return all ? kDone : kPartial;
}

int run_metrics(const MetricOptions& options) {
  if (!options.from.empty()) return evaluate_counts(options);
  if (options.groups) return list_groups(options);
  return options.shown.empty() && options.expressions.empty() ? list(options)
                                                              : show_metrics(options);
}

}  // namespace

void add_metrics(Command& command) {
  auto& options = command.runs(run_metrics);
  options.add_to(command);
}

}  // namespace evname::tools
