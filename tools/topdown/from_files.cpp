// `evname topdown --from`: trees from files of counts.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "input/counts.hpp"
#include "screen/screen.hpp"
#include "topdown/output.hpp"
#include "topdown/topdown.hpp"

namespace evname::tools {
namespace {

/// The counts of one time and place in each run that has them.
struct JoinedGroups {
  std::optional<double> time;
  std::string place;
  double seconds = 0;
  std::vector<std::pair<unsigned, const CountGroup*>> runs;
};

/// Joins the groups of several runs. Intervals of two runs never end at the same time, so the n-th
/// of each belong together.
std::vector<JoinedGroups> join_groups(std::span<const TakenCounts> runs) {
  using Key = std::tuple<std::string, bool, std::size_t>;  // place, is an interval, which
  std::map<Key, std::size_t> index;
  std::vector<JoinedGroups> out;
  for (unsigned run = 0; run < runs.size(); ++run) {
    std::map<std::string, std::size_t> intervals;
    for (const CountGroup& group : runs[run].counts.groups) {
      const std::size_t number = group.time ? intervals[group.place]++ : 0;
      const Key key(group.place, group.time.has_value(), number);
      const auto [at, is_new] = index.try_emplace(key, out.size());
      if (is_new) out.push_back({group.time, group.place, group.seconds, {}});
      out[at->second].runs.emplace_back(run, &group);
    }
  }
  return out;
}

/// Reports runs that can't be joined interval by interval.
void note_lengths(std::span<const JoinedGroups> groups, std::size_t runs) {
  std::size_t lonely = 0;
  for (const JoinedGroups& group : groups) lonely += group.runs.size() < runs ? 1 : 0;
  if (lonely > 0)
    tell_note("{} not in all {} runs",
              counted(lonely, "interval or place is", "intervals or places are"), runs);
}

/// Reports events that the machine does not have: counts of another CPU would give wrong values.
void warn_of_strange_events(const Machine& machine, const std::vector<ChosenTree>& trees,
                            std::span<const TakenCounts> runs) {
  std::set<std::string> known;  // events of the trees; the kernel has events that no table has
  for (const ChosenTree& chosen : trees)
    for (const MetricEvent& event : chosen.tree().events()) known.insert(to_lower(event.text));
  std::set<std::string> all;
  for (const TakenCounts& run : runs)
    for (const CountGroup& group : run.counts.groups) {
      if (&group != &run.counts.groups.front() && group.time) continue;  // all intervals are alike
      for (const CountedEvent& one : group.counts) all.insert(one.event);
    }
  std::vector<std::string> strange;
  for (const std::string& event : all)
    if (!known.contains(to_lower(event)) && !machine.resolve(event)) strange.push_back(event);
  if (strange.empty()) return;
  constexpr std::size_t kMost = 3;
  const std::string model = machine.cpu().model.empty() ? "this machine" : machine.cpu().model;
  tell_warning("{} not of {} ({}{}): if the counts are of another CPU, --cpu names it",
               counted(strange.size(), "event is", "events are"), model,
               joined(std::span(strange).first(std::min(strange.size(), kMost)), ", "),
               strange.size() > kMost ? ", …" : "");
}

/// Runs, and their machine.
struct TakenRuns {
  std::vector<TakenCounts> runs;
  std::optional<Machine> machine;
  std::optional<MetricFacts> facts;
};

bool take_runs(const TopdownOptions& options, TakenRuns& out) {
  const MachineOptions& named = options.given.machine;
  const bool with_machine = named.cpu.empty() && named.input.empty();
  bool whole_cores = false;
  for (const std::string& path : options.from) {
    auto taken = take_counts({path, options.given.separator, options.counts_per(), with_machine});
    if (!taken) return false;
    if (taken->machine && !out.machine) {
      out.machine = taken->machine;
      out.facts = taken->facts;
    }
    whole_cores |= taken->counts.whole_cores;
    out.runs.push_back(std::move(*taken));
  }
  if (!out.machine) {
    if (!open_named_machine(named, out.machine)) return false;
    out.facts = options.given.facts_of(*out.machine);
  }
  if (whole_cores)
    for (const char* fact : {"#core_wide", "#target_cpu"}) out.facts->set(fact, 1);
  options.given.overrule(*out.facts);
  return true;
}

/// The matchers of each tree, one for each run.
using Matchers = std::vector<std::vector<CountMatcher>>;

/// Reports rows that are not counts of events. Trees may share events.
void warn_of_left_out(const Matchers& matchers) {
  std::set<std::string> warnings;
  for (const auto& of_tree : matchers)
    for (const CountMatcher& matcher : of_tree)
      warnings.insert(matcher.warnings().begin(), matcher.warnings().end());
  for (const std::string& warning : warnings) tell_warning("{}", warning);
}

/// Reports missing events if the counts are not enough for any node.
void tell_no_values(const Machine& machine, const std::vector<ChosenTree>& trees) {
  const std::string model = machine.cpu().model.empty() ? "this machine" : machine.cpu().model;
  for (const ChosenTree& chosen : trees) {
    const TopdownTree& tree = chosen.tree();
    std::vector<std::string> names;
    for (const std::size_t event : tree.events_of(tree.select(1)))
      names.push_back(tree.events()[event].text);
    const std::string level = trees.size() > 1 ? " of " + tree.pmu() : "";
    tell_error(
        "no node of {} can be computed from these counts{}", model,
        names.empty() ? "" : fmt::format("; level 1{} needs {}", level, joined(names, ", ")));
  }
}

}  // namespace

int topdown_of_files(const TopdownOptions& options) {
  TakenRuns taken;
  if (!take_runs(options, taken)) return kUnusable;
  const auto trees = chosen_trees(*taken.machine, *taken.facts, options, options.level);
  if (trees.empty()) return kUnusable;
  warn_of_strange_events(*taken.machine, trees, taken.runs);
  TopdownOutput output(*taken.machine, options);
  if (!output.open()) return kUnusable;
  const auto groups = join_groups(taken.runs);
  if (taken.runs.size() > 1) note_lengths(groups, taken.runs.size());

  Matchers matchers(trees.size());
  for (std::size_t t = 0; t < trees.size(); ++t)
    for (std::size_t run = 0; run < taken.runs.size(); ++run)
      matchers[t].emplace_back(*taken.machine, trees[t].tree().events());
  TreeReading reading;
  reading.names_pmu = trees.size() > 1;
  for (const JoinedGroups& group : groups) {
    reading.time = group.time;
    reading.place = group.place;
    reading.seconds = group.seconds;
    for (std::size_t t = 0; t < trees.size(); ++t) {
      std::vector<RunCounts> runs;
      for (const auto& [run, counts] : group.runs)
        runs.push_back({matchers[t][run].match(*counts), run});
      trees[t].evaluate(runs, reading);
      output.add(trees[t], reading);
    }
  }
  if (!output.finish()) return kUnusable;
  warn_of_left_out(matchers);
  if (!output.has_values()) tell_no_values(*taken.machine, trees);
  return output.lacks_values() ? kPartial : kDone;
}

}  // namespace evname::tools
