#include "topdown/reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/nearest_names.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"
#include "screen/screen.hpp"

namespace evname::tools {
namespace {

/// The mean count of each event over the runs that counted it.
void join_runs(std::span<const RunCounts> runs, std::vector<EventCount>& out) {
  std::size_t events = 0;
  for (const RunCounts& run : runs) events = std::max(events, run.counts.size());
  out.assign(events, {});
  for (std::size_t event = 0; event < events; ++event) {
    EventCount& sum = out[event];
    double times = 0;
    for (const RunCounts& run : runs) {
      if (event >= run.counts.size() || std::isnan(run.counts[event].value)) continue;
      const EventCount& one = run.counts[event];
      const double before = times == 0 ? 0 : sum.value;
      if (times == 0) sum = one;
      sum.value = before + one.value;
      sum.running = std::min(sum.running, one.running);
      ++times;
    }
    if (times > 0) sum.value /= times;
  }
}

/// Events by name, the first few of many.
std::string few_events(const std::vector<std::string>& events) {
  constexpr std::size_t kMost = 4;
  std::string out = joined(std::span(events).first(std::min(events.size(), kMost)), ", ");
  if (events.size() > kMost) out += fmt::format(" and {} more", events.size() - kMost);
  return out;
}

/// Facts have names such as '#smt_on'.
std::string problem_text(const std::string& problem) {
  if (!problem.starts_with("'#") || problem.find('\'', 1) == problem.npos) return problem;
  const std::string name = problem.substr(2, problem.find('\'', 2) - 2);
  return fmt::format("{}; --fact {}=NUMBER sets it", problem, name);
}

std::string gap_text(const MetricSet::Gap& gap) {
  switch (gap.why) {
    case MetricSet::Gap::Why::not_counted:
      return "not counted: " + few_events(gap.events);
    case MetricSet::Gap::Why::zero:
      return gap.events.empty() ? "divided by 0"
                                : fmt::format("divided by 0: no {}", few_events(gap.events));
    default:
      return gap.text;
  }
}

}  // namespace

std::size_t TreeReading::next() const {
  std::vector<double> values;
  std::vector<std::uint8_t> flagged;
  for (const NodeReading& one : nodes) values.push_back(one.value), flagged.push_back(one.flagged);
  return tree->next(values, flagged);
}

std::vector<std::size_t> TreeReading::deepest_flagged() const {
  std::vector<std::size_t> out;
  const auto is_flagged = [&](std::size_t i) { return nodes[i].flagged; };
  for (const std::size_t i : choice->nodes)
    if (is_flagged(i) && std::ranges::none_of(node(i).children, is_flagged)) out.push_back(i);
  sort_stably(out, [&](std::size_t a, std::size_t b) { return nodes[a].value > nodes[b].value; });
  return out;
}

std::vector<std::size_t> TreeReading::shown(bool all) const {
  if (all) return choice->nodes;
  std::vector<std::size_t> out;
  for (const std::size_t i : choice->nodes) {
    const std::size_t parent = node(i).parent;
    if (parent == TopdownNode::kNone || choice->always[i] || nodes[parent].flagged)
      out.push_back(i);
  }
  return out;
}

std::string TreeReading::why_not(std::size_t index) const {
  if (nodes[index].has_value()) return "";
  if (!node(index).problem.empty()) return problem_text(node(index).problem);
  return gap_text(tree->explain(index, counts));
}

ChosenTree::ChosenTree(TopdownTree tree)
    : tree_(std::make_shared<const TopdownTree>(std::move(tree))) {
  for (std::size_t i = 0; i < tree_->nodes().size(); ++i)
    events_.push_back(tree_->events_of(std::span(&i, 1)));
}

Result<ChosenTree> ChosenTree::of(const Machine& machine, const MetricFacts& facts,
                                  const std::string& pmu, const TopdownOptions& options,
                                  unsigned levels) {
  auto tree = TopdownTree::of(machine, facts, pmu);
  if (!tree) return fail(std::move(tree));
  ChosenTree out(std::move(*tree));
  const std::size_t size = out.tree().nodes().size();
  out.choice_.always.assign(size, 0);
  if (options.nodes.empty()) {
    out.choice_.nodes = out.tree().select(levels);
    return out;
  }
  std::vector<std::uint8_t> wanted(size, 0);
  for (const std::string& name : options.nodes) {
    const std::size_t branch = out.tree().find(name);
    if (branch == TopdownNode::kNone) return fail(Errc::not_found, "no such node", name);
    for (const std::size_t i : out.tree().select(levels, branch)) wanted[i] = 1;
    for (std::size_t i = branch; i != TopdownNode::kNone; i = out.tree().nodes()[i].parent)
      out.choice_.always[i] = 1;
    for (const std::size_t i : out.tree().nodes()[branch].children) out.choice_.always[i] = 1;
  }
  for (std::size_t i = 0; i < size; ++i)
    if (wanted[i]) out.choice_.nodes.push_back(i);
  return out;
}

void ChosenTree::choose(std::vector<std::size_t> nodes) { choice_.nodes = std::move(nodes); }

namespace {

/// Means of node values over related counts.
class NodeMeans {
 public:
  explicit NodeMeans(const TopdownTree& tree)
      : tree_(tree),
        values_(tree.nodes().size()),
        sums_(values_.size()),
        times_(values_.size()),
        runs_(values_.size()),
        last_run_(values_.size(), ~0u) {}

  void add(const RunCounts& run) {
    tree_.evaluate(run.counts, values_);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (std::isnan(values_[i])) continue;
      sums_[i] += values_[i];
      ++times_[i];
      runs_[i] += std::exchange(last_run_[i], run.run) != run.run ? 1 : 0;
    }
  }

  /// Sets nodes that have no value yet.
  void set(std::vector<NodeReading>& nodes) const {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (!nodes[i].has_value() && times_[i] > 0) {
        nodes[i].value = sums_[i] / times_[i];
        nodes[i].runs = runs_[i];
      }
  }

 private:
  const TopdownTree& tree_;
  std::vector<double> values_, sums_, times_;
  std::vector<unsigned> runs_, last_run_;
};

/// The runs, the groups of each joined.
std::vector<std::pair<std::size_t, std::size_t>> ranges_of_runs(std::span<const RunCounts> runs) {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (i > 0 && runs[i].run == runs[i - 1].run)
      ++out.back().second;
    else
      out.emplace_back(i, 1);
  return out;
}

}  // namespace

void ChosenTree::evaluate(std::span<const RunCounts> runs, TreeReading& out) const {
  const std::size_t size = tree_->nodes().size();
  out.tree = tree_.get();
  out.choice = &choice_;
  out.nodes.assign(size, {});
  join_runs(runs, out.counts);
  const auto ranges = ranges_of_runs(runs);
  if (runs.size() > 1) {
    NodeMeans groups(*tree_);
    for (const RunCounts& run : runs) groups.add(run);
    groups.set(out.nodes);
  }
  if (ranges.size() > 1 && ranges.size() < runs.size()) {
    NodeMeans whole_runs(*tree_);
    std::vector<EventCount> counts;
    for (const auto& [first, count] : ranges) {
      join_runs(runs.subspan(first, count), counts);
      whole_runs.add({counts, runs[first].run});
    }
    whole_runs.set(out.nodes);
  }
  std::vector<double> values(size);
  std::vector<std::uint8_t> flagged(size);
  tree_->evaluate(out.counts, values, flagged);
  for (std::size_t i = 0; i < size; ++i) {
    NodeReading& one = out.nodes[i];
    if (!one.has_value()) {
      one.value = values[i];
      one.runs = static_cast<unsigned>(ranges.size());
    }
    one.flagged = flagged[i] != 0 && one.has_value();
    if (!one.has_value()) continue;
    for (const std::size_t event : events_[i])
      if (event < out.counts.size()) one.running = std::min(one.running, out.counts[event].running);
  }
}

std::vector<ChosenTree> chosen_trees(const Machine& machine, const MetricFacts& facts,
                                     const TopdownOptions& options, unsigned levels) {
  std::vector<ChosenTree> out;
  const auto pmus = TopdownTree::pmus(machine);
  const std::string model = machine.cpu().model.empty() ? "this machine" : machine.cpu().model;
  if (pmus.empty()) {
    tell_error("no top-down tree is known for {}; --cpu names the CPU that counts are of", model);
    return out;
  }
  std::optional<Error> error;
  for (const std::string& pmu : pmus) {
    auto tree = ChosenTree::of(machine, facts, pmu, options, levels);
    if (tree) {
      for (const std::string& warning : tree->tree().warnings()) tell_warning("{}", warning);
      out.push_back(std::move(*tree));
    } else if (!error)
      error = tree.error();
  }
  // A node of one core type may be missing in the other.
  if (out.empty() && error && error->message == "no such node") {
    std::vector<std::string> names;
    for (const std::string& pmu : pmus)
      if (const auto tree = TopdownTree::of(machine, facts, pmu))
        for (const TopdownNode& node : tree->nodes()) names.push_back(node.name);
    const std::string near(nearest_name(to_lower(error->where), names));
    tell_error("--node {}: {} has no such node{}", error->where, model,
               near.empty() ? "" : fmt::format("; {}", did_you_mean({near})));
  } else if (out.empty() && error) {
    tell_error("{}", error->text());
  }
  return out;
}

}  // namespace evname::tools
