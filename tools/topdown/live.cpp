// `evname topdown -- COMMAND`, -p, -a: counts and shows trees.

#include <fmt/format.h>
#include <linux/perf_event.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "base/text.hpp"
#include "counting/refusal.hpp"
#include "output/event.hpp"
#include "screen/screen.hpp"
#include "stat/runs.hpp"
#include "topdown/output.hpp"
#include "topdown/topdown.hpp"

namespace evname::tools {
namespace {

constexpr unsigned kLiveLevels = 2;

/// Clouds: perfrunbook/debug_hw_perf.md of github.com/aws/aws-graviton-getting-started, and
/// docs.cloud.google.com/compute/docs/pmu-overview.
constexpr std::string_view kWaysOut =
    "`evname record -e cpu-clock -- COMMAND` finds slow functions without one. Bare metal has one; "
    "on AWS also Graviton and, from the 7th generation on, all instances; on Google Cloud C4 and "
    "C4A if their PMU is enabled";

/// Events of a tree that are counted together.
struct CountedGroup {
  std::size_t tree;
  std::vector<std::size_t> events;  ///< indexes into TopdownTree::events()
};

bool is_same_event(const Encoding& a, const Encoding& b) {
  return a.pmu == b.pmu && words_of(a.code) == words_of(b.code);
}

/// The count of an event's row.
EventCount count_of(const MetricEvent& event, std::span<const Row> rows) {
  EventCount sum;
  for (const Row& row : rows) {
    const auto is_own = [&](const Encoding& e) { return is_same_event(e, *row.encoding); };
    if (!row.is_counted() || std::ranges::none_of(event.encodings, is_own)) continue;
    sum.value = (sum.sources++ == 0 ? 0 : sum.value) + row.value.scaled;
    sum.counters += static_cast<unsigned>(row.counters);
    if (row.value.is_scaled())
      sum.running = std::min(sum.running, static_cast<double>(row.value.running) /
                                              static_cast<double>(row.value.enabled));
  }
  if (sum.sources == 1) sum.sources = 0;
  return sum;
}

/// The counts of a part, for each group and run.
struct PartCounts {
  std::vector<std::size_t> tree;  ///< of each
  std::vector<unsigned> run;
  std::vector<std::vector<EventCount>> counts;
  std::set<std::size_t> trees;  ///< rows with a PMU, as on the cores of its kind
};

/// "CPU2" comes before "CPU10".
struct InOrder {
  bool operator()(const std::string& a, const std::string& b) const {
    return strverscmp(a.c_str(), b.c_str()) < 0;
  }
};
using Parts = std::map<std::string, PartCounts, InOrder>;

/// Counts trees, and passes the counts on at the end of a run or an interval.
class LiveTrees final : public CountSink {
 public:
  LiveTrees(const Machine& machine, const TopdownOptions& options, std::vector<ChosenTree> trees)
      : machine_(machine), options_(options), trees_(std::move(trees)), output_(machine, options) {}

  int run() {
    if (!output_.open()) return kUnusable;
    return options_.drill ? drill() : count(nullptr, true);
  }

  void take(std::span<const Row> rows, std::optional<double> time, const RunTimes& times) override {
    std::vector<std::string> parts;
    for (const Row& row : rows)
      if (std::ranges::find(parts, row.part) == parts.end()) parts.emplace_back(row.part);
    for (const std::string& part : parts) {
      std::vector<Row> own;
      for (const Row& row : rows)
        if (row.part == part) own.push_back(row);
      take_part(time ? now_[part] : kept_[part], own, times);
    }
    ++run_;
    if (!time) return;
    add_all(now_, time, times.elapsed);
    now_.clear();
  }

  bool end(bool stopped) override {
    if (!is_last_ && !stopped) return true;
    add_all(kept_, std::nullopt, 0);
    tell_runs();
    return output_.finish();
  }

 private:
  /// Counts the chosen nodes, or `nodes` (of each tree).
  int count(const std::vector<std::vector<std::size_t>>* nodes, bool is_last) {
    is_last_ = is_last;
    groups_.clear();
    std::vector<Query> queries;
    for (std::size_t tree = 0; tree < trees_.size(); ++tree)
      if (!add_queries(tree, nodes ? (*nodes)[tree] : trees_[tree].choice().nodes, queries))
        return kUnusable;
    return count_queries(queries);
  }

  int count_queries(std::span<const Query> queries) {
    StatOptions options = options_.stat;
    options.output.clear();
    Runs runs(machine_, options, queries, nullptr, queries.size());
    runs.hand_to(*this);
    return runs.run_all();
  }

  bool add_queries(std::size_t tree, std::span<const std::size_t> nodes,
                   std::vector<Query>& queries);
  void take_part(PartCounts& part, std::span<const Row> rows, const RunTimes& times) const;
  TreeReading reading_of(std::size_t tree, const PartCounts& part) const;
  void add_all(const Parts& parts, std::optional<double> time, double seconds);
  void tell_runs() const;
  int drill();
  bool choose_below(std::vector<std::vector<std::size_t>>& nodes) const;
  int count_one_by_one(const std::vector<std::vector<std::size_t>>& nodes);

  const Machine& machine_;
  const TopdownOptions& options_;
  std::vector<ChosenTree> trees_;
  TopdownOutput output_;
  std::vector<CountedGroup> groups_;  ///< of each query
  Parts now_, kept_;
  unsigned run_ = 0;
  bool is_last_ = true;
  std::vector<std::string> counted_;  ///< counts of each run of --drill
};

/// "{a,b}:W", and its encodings.
std::optional<Query> query_of(const Machine& machine, const TopdownTree& tree,
                              const MetricSchedule::Group& group) {
  std::vector<std::string> texts;
  for (const std::size_t event : group.events) texts.push_back(tree.events()[event].text);
  const bool braces = group.together && texts.size() > 1;
  const std::string text =
      fmt::format("{}{}{}", braces ? "{" : "", joined(texts, ","), braces ? "}:W" : "");
  const auto found = resolve_query(machine, text, false);
  if (!found) return std::nullopt;
  return Query{text, machine.regroup(*found)};
}

bool LiveTrees::add_queries(std::size_t tree, std::span<const std::size_t> nodes,
                            std::vector<Query>& queries) {
  const TopdownTree& of = trees_[tree].tree();
  const auto made = of.schedule(nodes, ScheduleOptions::live());
  if (!made) return tell_error("{}", made.error().text());
  for (const MetricSchedule::Group& group : made->groups) {
    auto query = query_of(machine_, of, group);
    if (!query) return false;
    queries.push_back(std::move(*query));
    groups_.push_back({tree, group.events});
  }
  return true;
}

void LiveTrees::take_part(PartCounts& part, std::span<const Row> rows,
                          const RunTimes& times) const {
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    const auto events = trees_[groups_[group].tree].tree().events();
    std::vector<Row> own;
    for (const Row& row : rows)
      if (row.query == group) own.push_back(row);
    const std::string& pmu = trees_[groups_[group].tree].tree().pmu();
    if (std::ranges::any_of(own, [&](const Row& row) { return row.encoding->pmu == pmu; }))
      part.trees.insert(groups_[group].tree);
    std::vector<EventCount> counts(events.size());
    for (const std::size_t event : groups_[group].events)
      counts[event] = count_of(events[event], own);
    for (std::size_t event = 0; event < events.size(); ++event)
      if (events[event].tool_time() != ToolTime::none)
        counts[event].value = times.of(events[event].tool_time());
    part.tree.push_back(groups_[group].tree);
    part.run.push_back(run_);
    part.counts.push_back(std::move(counts));
  }
}

TreeReading LiveTrees::reading_of(std::size_t tree, const PartCounts& part) const {
  TreeReading reading;
  reading.names_pmu = trees_.size() > 1;
  std::vector<RunCounts> runs;
  for (std::size_t i = 0; i < part.counts.size(); ++i)
    if (part.tree[i] == tree) runs.push_back({part.counts[i], part.run[i]});
  trees_[tree].evaluate(runs, reading);
  return reading;
}

void LiveTrees::add_all(const Parts& parts, std::optional<double> time, double seconds) {
  for (const auto& [place, part] : parts)
    for (std::size_t tree = 0; tree < trees_.size(); ++tree) {
      if (!part.trees.empty() && !part.trees.contains(tree)) continue;
      TreeReading reading = reading_of(tree, part);
      reading.time = time;
      reading.place = place;
      reading.seconds = seconds;
      output_.add(trees_[tree], reading);
    }
}

void LiveTrees::tell_runs() const {
  for (std::size_t i = 0; i < counted_.size(); ++i)
    tell_note("run {} counted {}", i + 1, counted_[i]);
}

/// The children of the flagged nodes that have no value yet, of each tree.
bool LiveTrees::choose_below(std::vector<std::vector<std::size_t>>& nodes) const {
  nodes.assign(trees_.size(), {});
  bool any = false;
  for (std::size_t tree = 0; tree < trees_.size(); ++tree)
    for (const auto& [place, part] : kept_) {
      const TreeReading reading = reading_of(tree, part);
      for (const std::size_t i : reading.choice->nodes) {
        const std::size_t parent = reading.node(i).parent;
        if (parent == TopdownNode::kNone || !reading.nodes[parent].flagged ||
            reading.nodes[i].has_value() || !reading.node(i).problem.empty())
          continue;
        if (std::ranges::find(nodes[tree], i) == nodes[tree].end()) nodes[tree].push_back(i);
        any = true;
      }
    }
  return any;
}

/// One run for each group, so that groups don't share counters. Trees of several core PMUs have
/// separate counters, so each has a group in a run.
int LiveTrees::count_one_by_one(const std::vector<std::vector<std::size_t>>& nodes) {
  std::vector<Query> queries;
  groups_.clear();
  for (std::size_t tree = 0; tree < trees_.size(); ++tree)
    if (!nodes[tree].empty() && !add_queries(tree, nodes[tree], queries)) return kUnusable;
  const auto groups = groups_;
  std::vector<std::vector<std::size_t>> runs;
  std::vector<std::size_t> groups_of(trees_.size());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const std::size_t run = groups_of[groups[i].tree]++;
    runs.resize(std::max(runs.size(), run + 1));
    runs[run].push_back(i);
  }
  int code = kDone;
  for (const std::vector<std::size_t>& run : runs) {
    std::vector<Query> now;
    std::vector<std::string> texts;
    groups_.clear();
    for (const std::size_t i : run) {
      texts.push_back(queries[i].text);
      now.push_back(queries[i]);
      groups_.push_back(groups[i]);
    }
    counted_.push_back(joined(texts, ","));
    code = count_queries(now);
    if (code == kUnusable) break;
  }
  return code;
}

int LiveTrees::drill() {
  is_last_ = false;
  std::vector<std::vector<std::size_t>> nodes;
  for (const ChosenTree& chosen : trees_) {
    nodes.emplace_back();
    for (const std::size_t i : chosen.choice().nodes)
      if (chosen.tree().nodes()[i].level == 1) nodes.back().push_back(i);
  }
  int code = kDone;
  std::vector<std::vector<std::size_t>> before;
  do {
    before = nodes;
    code = count_one_by_one(nodes);
    if (code == kUnusable) return code;
  } while (choose_below(nodes) && nodes != before);
  is_last_ = true;
  return end(false) ? code : kUnusable;
}

std::vector<ChosenTree> trees_to_count(const Machine& machine, const TopdownOptions& options) {
  MetricFacts facts = MetricFacts::live(machine);
  options.stat.add_to(facts);
  options.given.overrule(facts);
  const unsigned levels =
      options.drill || options.level > 0 || !options.nodes.empty() ? options.level : kLiveLevels;
  return chosen_trees(machine, facts, options, levels);
}

/// Returns true if software counts an event of the chosen nodes, so that there is something to show
/// without a core PMU.
bool has_software_events(const std::vector<ChosenTree>& trees) {
  for (const ChosenTree& one : trees)
    for (const std::size_t event : one.tree().events_of(one.choice().nodes))
      for (const Encoding& found : one.tree().events()[event].encodings)
        if (found.code.type == PERF_TYPE_SOFTWARE) return true;
  return false;
}

}  // namespace

int topdown_live(const TopdownOptions& options) {
  auto opened = options.given.machine.open();
  if (const auto lack = opened ? counting::no_core_pmu(*opened, {}) : std::nullopt)
    if (!has_software_events(trees_to_count(*opened, options)))
      return tell_error("{}; {}", lack->message, kWaysOut);
  std::optional<Machine> machine;
  if (!keep_machine(std::move(opened), machine)) return kUnusable;
  auto trees = trees_to_count(*machine, options);
  if (trees.empty()) return kUnusable;
  return LiveTrees(*machine, options, std::move(trees)).run();
}

}  // namespace evname::tools
