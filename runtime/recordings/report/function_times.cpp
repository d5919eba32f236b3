// Functions by time, as a GridCollector keeps them at the end.

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/hash_map.hpp"
#include "recordings/report/grid_collector.hpp"

namespace evname::report {
namespace {

using Kind = SampleGrid::Kind;

/// The functions of nodes, by name.
class NodeFunctions {
 public:
  NodeFunctions(const PairTree& nodes, const FramePool& frames) : nodes_(nodes), frames_(frames) {
    outermost_.assign(nodes.size(), SampleGrid::kNone);
    for (std::uint32_t node = 1; node < nodes.size(); ++node)
      if (const std::uint32_t name = name_of(node); name != SampleGrid::kNone && !calls(node, name))
        outermost_[node] = name;
  }

  /// Returns the function of a node; kNone if a caller is of the same function.
  std::uint32_t outermost(std::uint32_t node) const { return outermost_[node]; }
  /// Returns the function of the samples of a node; a line belongs to the function above it.
  std::uint32_t own(std::uint32_t node) const {
    const bool is_line = frames_[nodes_[node].value].kind == Kind::line;
    return name_of(is_line ? nodes_[node].parent : node);
  }
  /// Calls use(name) for each function of a stack, once.
  template <class Use>
  void for_each(std::uint32_t node, Use&& use) const {
    for (; node != PairTree::kRoot; node = nodes_[node].parent)
      if (outermost_[node] != SampleGrid::kNone) use(outermost_[node]);
  }

 private:
  std::uint32_t name_of(std::uint32_t node) const {
    const FramePool::Frame& frame = frames_[nodes_[node].value];
    return node != PairTree::kRoot && frame.kind == Kind::function ? frame.name : SampleGrid::kNone;
  }
  /// Returns true if a function is among the callers of a node.
  bool calls(std::uint32_t node, std::uint32_t name) const {
    for (node = nodes_[node].parent; node != PairTree::kRoot; node = nodes_[node].parent)
      if (outermost_[node] == name) return true;
    return false;
  }

  const PairTree& nodes_;
  const FramePool& frames_;
  std::vector<std::uint32_t>
      outermost_;  ///< by node: the name, if no caller has it; else SampleGrid::kNone
};

/// The ranks of the busiest functions, by the nodes of stacks.
class RankedStacks {
 public:
  RankedStacks(const PairTree& nodes, const NodeFunctions& functions,
               std::span<const std::uint32_t> names) {
    HashMap<std::uint32_t, std::uint32_t> ranks;
    for (const std::uint32_t name : names) ranks.emplace(name, ranks.size());
    const auto rank_of = [&](std::uint32_t name) {
      const auto known = ranks.find(name);
      return known == ranks.end() ? SampleGrid::kNone : known->second;
    };
    nodes_.resize(nodes.size());
    for (std::uint32_t node = 1; node < nodes.size(); ++node) {
      const std::uint32_t parent = nodes[node].parent;
      nodes_[node] = {rank_of(functions.outermost(node)), rank_of(functions.own(node)),
                      is_ranked(parent) ? parent : nodes_[parent].next};
    }
  }

  ///@{
  /// The nodes of a stack that have a rank: each is the outermost of its function.
  std::uint32_t first(std::uint32_t node) const { return is_ranked(node) ? node : next(node); }
  std::uint32_t next(std::uint32_t node) const { return nodes_[node].next; }
  std::uint32_t rank(std::uint32_t node) const { return nodes_[node].rank; }
  ///@}
  /// Returns the rank of the function of the samples of a node.
  std::uint32_t own(std::uint32_t node) const { return nodes_[node].own; }

 private:
  struct Node {
    std::uint32_t rank = SampleGrid::kNone, own = SampleGrid::kNone, next = PairTree::kRoot;
  };
  bool is_ranked(std::uint32_t node) const { return nodes_[node].rank != SampleGrid::kNone; }

  std::vector<Node> nodes_;
};

/// Returns the names of the functions with most samples: one half by their own samples, the other
/// half by the samples of their callees, too.
template <class Cells>
std::vector<std::uint32_t> busiest(const Cells& cells, const NodeFunctions& functions,
                                   std::size_t most) {
  std::unordered_map<std::uint32_t, std::uint64_t> of_node, self, all;
  for (const SampleGrid::Cell& one : cells) of_node[one.node] += one.samples;
  for (const auto& [node, samples] : of_node) {
    if (const std::uint32_t name = functions.own(node); name != SampleGrid::kNone)
      self[name] += samples;
    functions.for_each(node, [&, n = samples](std::uint32_t name) { all[name] += n; });
  }
  std::vector<std::uint32_t> names;
  for (const auto& [name, samples] : all) names.push_back(name);
  std::ranges::sort(names);
  const auto begin = names.begin();
  const auto half = begin + static_cast<std::ptrdiff_t>(std::min(most / 2, names.size()));
  const auto by = [](auto& of) { return [&](auto a, auto b) { return of[a] > of[b]; }; };
  std::ranges::stable_sort(names, by(self));
  std::stable_sort(half, names.end(), by(all));
  names.resize(std::min(most, names.size()));
  return names;
}

}  // namespace

/// Keeps functions instead of stacks by time, if the end has come.
void GridCollector::end_stacks(const FramePool& frames) {
  if (stacks_ && most_functions_ > 0) sum_functions(frames);
  stacks_.reset();
}

void GridCollector::sum_functions(const FramePool& frames) {
  const NodeFunctions functions(nodes_, frames);
  std::uint32_t events = 0;
  for (const Cell& one : cells_) events = std::max(events, event_of(one.track) + 1);
  const std::size_t bins = stacks_->time().last() + std::size_t{1};
  function_names_ = busiest(cells_, functions, most_functions_ / bins / std::max(events, 1u));
  function_width_ = stacks_->time().width();
  const std::size_t names = function_names_.size();
  if (names == 0) return;
  const RankedStacks stacks(nodes_, functions, function_names_);

  std::vector<Hidden> sums(names * events);
  std::vector<std::size_t> open;
  std::uint32_t open_bin = 0;
  const auto close = [&] {
    for (const std::size_t at : open) functions_.push_back(std::exchange(sums[at], {}));
    open.clear();
  };
  stacks_->for_each([&](std::uint32_t bin, const TimeRows::Item& item) {
    if (std::exchange(open_bin, bin) != bin) close();
    const auto [node, event] = timed_[item.number];
    for (std::uint32_t at = stacks.first(node); at != PairTree::kRoot; at = stacks.next(at)) {
      const std::size_t place = event * names + stacks.rank(at);
      Hidden& sum = sums[place];
      if (sum.all_samples == 0) {
        open.push_back(place);
        sum = {event, bin, function_names_[stacks.rank(at)], 0, 0, 0, 0};
      }
      sum.all_samples += item.samples, sum.all_period += item.period;
    }
    // The function of the samples themselves is one of them.
    if (const std::uint32_t rank = stacks.own(node); rank != SampleGrid::kNone) {
      Hidden& sum = sums[event * names + rank];
      sum.samples += item.samples, sum.period += item.period;
    }
  });
  close();
}

/// Keeps the functions with most samples by time.
void GridCollector::keep_functions(std::size_t most) {
  if (functions_.size() <= most) return;
  std::unordered_map<std::uint32_t, std::size_t> items;
  for (const Hidden& one : functions_) ++items[one.name];
  std::size_t kept = 0, sum = 0;
  while (sum + items[function_names_[kept]] <= most) sum += items[function_names_[kept++]];
  for (const std::uint32_t name : std::span(function_names_).subspan(kept)) items.erase(name);
  function_names_.resize(kept);
  std::erase_if(functions_, [&](const Hidden& one) { return !items.contains(one.name); });
}

void GridCollector::finish(const GridLimits& limits, const FramePool& frames) {
  most_functions_ = limits.functions;
  reduce(limits, frames);
  if (counts_) reduce_counts(limits.counts, frames);
  end_stacks(frames);
  keep_functions(limits.functions);
}

}  // namespace evname::report
