#include "evname/topdown.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/enum_table.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"
#include "events/machine/machine_state.hpp"
#include "events/metrics/binder.hpp"
#include "events/metrics/catalog.hpp"

namespace evname {
namespace {

using metrics::TableMetric;

constexpr std::string_view kLevelGroups[] = {"TopdownL", "PipelineL"};
constexpr std::string_view kChildGroup = "_group";  ///< "tma_l1_bound_group" has its children
constexpr unsigned kMaxLevel = 9;

/// The place of a metric in a tree, according to its groups.
struct NodePlace {
  unsigned level = 0;       ///< 0: not a node
  std::string parent = {};  ///< in lower case; "" at level 1
};

unsigned level_of_group(std::string_view group) {
  for (const std::string_view stem : kLevelGroups)
    if (group.size() == stem.size() + 1 && group.starts_with(stem)) {
      const char digit = group.back();
      if (digit >= '1' && digit <= '9') return static_cast<unsigned>(digit - '0');
    }
  return 0;
}

using NodeNames = std::map<std::string, const TableMetric*>;  ///< lower case

/// Returns the place of a metric in the groups "TopdownL3" and "tma_fetch_latency_group".
NodePlace place_of(const TableMetric& metric, const NodeNames& names) {
  NodePlace place;
  for (const std::string& group : metrics::groups_of(metric)) {
    const unsigned level = level_of_group(group);
    if (level != 0 && (place.level == 0 || level < place.level)) place.level = level;
    if (!group.ends_with(kChildGroup)) continue;
    std::string parent = to_lower(group.substr(0, group.size() - kChildGroup.size()));
    if (names.contains(parent)) place.parent = std::move(parent);
  }
  if (place.level == 1) place.parent.clear();
  if (place.level > 1 && place.parent.empty()) place.level = 0;
  return place;
}

/// The metrics of a core PMU that are in a group of a level, by name.
NodeNames candidates(const std::vector<TableMetric>& catalog, std::string_view pmu) {
  NodeNames out;
  for (const TableMetric& metric : catalog) {
    if (metric.pmu() != pmu) continue;
    const auto groups = metrics::groups_of(metric);
    const auto has_level = [](const std::string& group) { return level_of_group(group) != 0; };
    if (std::ranges::any_of(groups, has_level)) out.try_emplace(to_lower(metric.name()), &metric);
  }
  return out;
}

/// Returns the tables' PMUs that have nodes, each with the machine's name for it.
std::vector<std::pair<std::string, std::string>> tree_pmus(const detail::MachineState& state,
                                                           const std::vector<TableMetric>& all) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const machine::BoundPmu& bound : state.pmus) {
    if (!bound.pmu.is_core) continue;
    if (!candidates(all, bound.pmu.name).empty()) {
      out.emplace_back(bound.pmu.name, bound.pmu.name);
    } else if (out.empty() && !candidates(all, "default_core").empty()) {
      out.emplace_back("default_core", bound.pmu.name);
    }
  }
  return out;
}

// Intel's PERF_METRICS register is read by events 0 with unit masks from 0x80 on, in a group that
// the slots lead. Source: arch/x86/events/perf_event.h (is_metric_event).
constexpr std::uint64_t kSlotsCode = 0x400;

bool has_code(const MetricEvent& event, std::uint64_t mask, std::uint64_t code) {
  if (event.encodings.empty()) return false;
  const Encoding& e = event.encodings.front();
  return (e.pmu == "cpu" || e.pmu == "cpu_core") && (e.code.config[0] & mask) == code;
}
bool is_slots_event(const MetricEvent& event) { return has_code(event, ~0ULL, kSlotsCode); }
bool is_part_of_slots(const MetricEvent& event) { return has_code(event, 0xfffff8ff, 0x8000); }

/// Returns the factor that turns the metric's value into percent: files omit the unit of a
/// fraction, or have the factor in the formula ("1percent of slots").
double to_percent(const MetricInfo& metric) {
  const std::string unit = to_lower(metric.unit);
  const bool is_percent = unit.find('%') != unit.npos || unit.find("percent") != unit.npos;
  return is_percent || metric.scale == 0 ? 1 : 100 / metric.scale;
}

}  // namespace

const char* to_string(TopdownNode::Share share) {
  using enum TopdownNode::Share;
  constexpr auto kWords = enum_values<TopdownNode::Share>({{unknown, ""},
                                                           {slots, "slots"},
                                                           {clocks, "clocks"},
                                                           {operations, "operations"},
                                                           {parent, "parent"}});
  return word_of(kWords, share);
}

struct EVNAME_HIDDEN TopdownTree::State {
  State(const Machine& machine, const MetricFacts& facts) : set(machine, facts) {}

  void add_children(const std::string& parent, std::size_t index, unsigned level);
  void add_node(const TableMetric& metric, std::size_t parent, unsigned level);

  void find_slots();

  bool has_count(std::size_t event, std::span<const EventCount> counts) const {
    return set.events()[event].is_known() ||
           (event < counts.size() && !std::isnan(counts[event].value));
  }
  /// Returns true if all events of a metric were counted. Otherwise it has no value, even if perf's
  /// rules give one: max(x, 0) is 0 for an unknown x.
  bool is_counted(std::size_t metric, std::span<const EventCount> counts) const {
    return std::ranges::all_of(set.events_of(metric),
                               [&](std::size_t event) { return has_count(event, counts); });
  }

  std::string pmu;
  std::size_t slots =
      TopdownNode::kNone;  ///< of set.events(): must be counted with parts of the slots
  std::vector<TopdownNode> nodes;
  std::vector<std::size_t> metric_of;  ///< parallel to nodes
  std::vector<double> percent;         ///< parallel to nodes: to_percent() of each
  std::multimap<std::string, const TableMetric*> by_parent;
  std::set<const TableMetric*> added;
  std::vector<std::string> warnings;
  MetricSet set;
};

void TopdownTree::State::add_node(const TableMetric& metric, std::size_t parent, unsigned level) {
  if (!added.insert(&metric).second) return;  // it is below itself
  const MetricInfo info = metrics::info_of(metric);
  TopdownNode node;
  node.name = info.name;
  node.desc = info.desc;
  node.level = level;
  node.parent = parent;
  node.share = static_cast<TopdownNode::Share>(std::min<int>(metric.metric->share_of, 4));
  node.threshold = info.threshold;
  node.sample = metrics::list_of(metric.text(metric.metric->sample));
  const std::size_t before = set.metrics().size();
  const auto done = set.add(info.name, metric.pmu());
  if (!done) node.problem = done.error().message;
  metric_of.push_back(done && set.metrics().size() > before ? before : TopdownNode::kNone);
  percent.push_back(to_percent(info));
  const std::size_t index = nodes.size();
  nodes.push_back(std::move(node));
  if (parent != TopdownNode::kNone) nodes[parent].children.push_back(index);
  add_children(to_lower(info.name), index, level + 1);
}

void TopdownTree::State::add_children(const std::string& parent, std::size_t index,
                                      unsigned level) {
  if (level > kMaxLevel) return;
  const auto [begin, end] = by_parent.equal_range(parent);
  for (auto at = begin; at != end; ++at) add_node(*at->second, index, level);
}

void TopdownTree::State::find_slots() {
  if (!std::ranges::any_of(set.events(), is_part_of_slots)) return;
  const auto is_there = [&] { return std::ranges::find_if(set.events(), is_slots_event); };
  const std::string text = pmu == "cpu" ? "TOPDOWN.SLOTS" : pmu + "@TOPDOWN.SLOTS@";
  if (is_there() == set.events().end() && !set.add_expression("slots", text)) return;
  if (const auto at = is_there(); at != set.events().end())
    slots = static_cast<std::size_t>(at - set.events().begin());
}

TopdownTree::TopdownTree(std::unique_ptr<State> state) : state_(std::move(state)) {}
TopdownTree::TopdownTree(TopdownTree&&) noexcept = default;
TopdownTree& TopdownTree::operator=(TopdownTree&&) noexcept = default;
TopdownTree::~TopdownTree() = default;

std::vector<std::string> TopdownTree::pmus(const Machine& machine) {
  const detail::MachineState& state = detail::state_of(machine);
  std::vector<std::string> out;
  for (auto& [table, name] : tree_pmus(state, metrics::metrics_of(state)))
    out.push_back(std::move(name));
  return out;
}

Result<TopdownTree> TopdownTree::of(const Machine& machine, const MetricFacts& facts,
                                    std::string_view pmu) {
  const detail::MachineState& from = detail::state_of(machine);
  const auto all = metrics::metrics_of(from);
  const auto pmus = tree_pmus(from, all);
  const auto chosen =
      std::ranges::find_if(pmus, [&](const auto& one) { return pmu.empty() || one.second == pmu; });
  if (chosen == pmus.end())
    return fail(Errc::not_found,
                pmu.empty() ? std::string("no core PMU of the machine has a top-down tree")
                            : fmt::format("there is no top-down tree for the PMU '{}'", pmu));
  const NodeNames names = candidates(all, chosen->first);
  auto state = std::make_unique<State>(machine, facts);
  state->pmu = chosen->second;
  for (const auto& [name, metric] : names)
    if (const NodePlace place = place_of(*metric, names); place.level != 0)
      state->by_parent.emplace(place.parent, metric);
  state->add_children("", TopdownNode::kNone, 1);
  for (const auto& [name, metric] : names)
    if (!state->added.contains(metric))
      state->warnings.push_back(fmt::format(
          "{} is not a node of the tree: none of its groups ({}) names the node above it",
          metric->name(), metric->text(metric->metric->group)));
  state->find_slots();
  return TopdownTree(std::move(state));
}

const std::string& TopdownTree::pmu() const { return state_->pmu; }
std::span<const TopdownNode> TopdownTree::nodes() const { return state_->nodes; }
std::span<const MetricEvent> TopdownTree::events() const { return state_->set.events(); }
std::span<const std::string> TopdownTree::warnings() const { return state_->warnings; }
const MetricSet& TopdownTree::metrics() const { return state_->set; }
std::size_t TopdownTree::metric_of(std::size_t node) const { return state_->metric_of[node]; }

unsigned TopdownTree::depth() const {
  unsigned depth = 0;
  for (const TopdownNode& node : nodes()) depth = std::max(depth, node.level);
  return depth;
}

std::size_t TopdownTree::find(std::string_view name) const {
  const std::string wanted = to_lower(name);
  for (std::size_t i = 0; i < nodes().size(); ++i) {
    const std::string own = to_lower(nodes()[i].name);
    if (own == wanted || own == "tma_" + wanted) return i;
  }
  return TopdownNode::kNone;
}

std::vector<std::size_t> TopdownTree::select(unsigned levels, std::size_t branch) const {
  const unsigned top = branch == TopdownNode::kNone ? 0 : nodes()[branch].level;
  const unsigned last = levels == 0 ? kMaxLevel : top + levels;
  std::set<std::size_t> above;
  for (std::size_t at = branch; at != TopdownNode::kNone; at = nodes()[at].parent) above.insert(at);
  std::vector<bool> below(nodes().size());
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < nodes().size(); ++i) {
    const TopdownNode& node = nodes()[i];
    below[i] = branch == TopdownNode::kNone || i == branch ||
               (node.parent != TopdownNode::kNone && below[node.parent]);
    if (above.contains(i) || (below[i] && node.level <= last)) out.push_back(i);
  }
  return out;
}

std::vector<std::size_t> TopdownTree::events_of(std::span<const std::size_t> nodes) const {
  std::vector<bool> seen(events().size());
  std::vector<std::size_t> out;
  const auto add = [&](std::size_t event) {
    if (!seen[event]) out.push_back(event);
    seen[event] = true;
  };
  for (const std::size_t node : nodes) {
    if (metric_of(node) == TopdownNode::kNone) continue;
    for (const std::size_t event : state_->set.events_of(metric_of(node))) {
      if (state_->slots != TopdownNode::kNone && is_part_of_slots(events()[event]))
        add(state_->slots);
      add(event);
    }
  }
  return out;
}

Result<MetricSchedule> TopdownTree::schedule(std::span<const std::size_t> nodes,
                                             const ScheduleOptions& options) const {
  auto plan = state_->set.schedule(events_of(nodes), options);
  if (!plan || state_->slots == TopdownNode::kNone) return plan;
  const auto rank = [&](std::size_t event) {
    return event == state_->slots ? 0 : is_part_of_slots(events()[event]) ? 1 : 2;
  };
  for (MetricSchedule::Group& group : plan->groups) sort_stably_by(group.events, rank);
  return plan;
}

void TopdownTree::evaluate(std::span<const EventCount> counts, std::span<double> values,
                           std::span<std::uint8_t> flagged) const {
  thread_local std::vector<MetricSet::Value> all;
  all.resize(state_->set.metrics().size());
  state_->set.evaluate(counts, all);
  for (std::size_t i = 0; i < nodes().size(); ++i) {
    const std::size_t metric = metric_of(i);
    const MetricSet::Value value = metric == TopdownNode::kNone ? MetricSet::Value() : all[metric];
    const bool is_number = value.has_value() && state_->is_counted(metric, counts);
    if (i < values.size())
      values[i] =
          is_number ? value.value * state_->percent[i] : std::numeric_limits<double>::quiet_NaN();
    if (i >= flagged.size()) continue;
    const std::size_t parent = nodes()[i].parent;
    flagged[i] = is_number && value.beyond.value_or(false) &&
                 (parent == TopdownNode::kNone || flagged[parent] != 0);
  }
}

MetricSet::Gap TopdownTree::explain(std::size_t node, std::span<const EventCount> counts) const {
  const std::size_t metric = metric_of(node);
  if (metric == TopdownNode::kNone)
    return {MetricSet::Gap::Why::no_event, {}, nodes()[node].problem};
  if (state_->is_counted(metric, counts)) return state_->set.explain(metric, counts);
  std::vector<const MetricEvent*> missing;
  for (const std::size_t event : state_->set.events_of(metric))
    if (!state_->has_count(event, counts)) missing.push_back(&events()[event]);
  return metrics::not_counted(missing);
}

std::size_t TopdownTree::next(std::span<const double> values,
                              std::span<const std::uint8_t> flagged) const {
  const std::size_t count = std::min({values.size(), flagged.size(), nodes().size()});
  for (std::size_t at = TopdownNode::kNone;;) {
    std::size_t best = TopdownNode::kNone;
    for (std::size_t i = 0; i < count; ++i)
      if (nodes()[i].parent == at && flagged[i] != 0 &&
          (best == TopdownNode::kNone || values[i] > values[best]))
        best = i;
    if (best == TopdownNode::kNone) return at;
    at = best;
  }
}

double TopdownTree::sum_of_level(unsigned level, std::span<const double> values) const {
  double sum = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < std::min(values.size(), nodes().size()); ++i) {
    const TopdownNode& node = nodes()[i];
    const bool of_slots = node.share == TopdownNode::Share::slots || level == 1;
    if (node.level == level && of_slots && !std::isnan(values[i]))
      sum = std::isnan(sum) ? values[i] : sum + values[i];
  }
  return sum;
}

}  // namespace evname
