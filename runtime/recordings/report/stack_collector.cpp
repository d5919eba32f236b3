#include "recordings/report/stack_collector.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace evname::report {

void StackCollector::count(std::uint32_t node, std::uint32_t event, std::uint64_t samples,
                           std::uint64_t period) {
  const std::uint64_t key = std::uint64_t{node} << 32 | event;
  std::uint32_t at = index_[key];
  if (at == index_.kNone) {
    at = static_cast<std::uint32_t>(counts_.size());
    counts_.push_back({node, event, 0, 0, 0, 0});
    index_.insert(key, at);
  }
  counts_[at].samples += samples;
  counts_[at].period += period;
}

void StackCollector::add(std::uint32_t event, std::span<const std::uint32_t> frames,
                         std::uint64_t period) {
  constexpr std::uint32_t kRoom = 2, kLeast = 1 << 18;  // so that shrinking is rare
  if (most_ == 0) return;
  if (const std::uint32_t room = std::max(kLeast, most_ * kRoom); nodes_.size() > room) {
    sum_functions();
    shrink(room / 2);
  }
  std::uint32_t node = PairTree::kRoot;
  for (const std::uint32_t frame : frames) node = nodes_.child(node, frame);
  count(node, event, 1, period);
}

/// Keeps the nodes that most of their event's samples are in or below. A parent has at least what
/// its children have, so what is kept is a tree.
void StackCollector::shrink(std::uint32_t most) {
  if (nodes_.size() <= most) return;
  std::unordered_map<std::uint32_t, std::uint64_t> totals;
  for (const Count& one : counts_) totals[one.event] += one.samples;
  std::vector<double> weights(nodes_.size());
  for (const Count& one : counts_)
    weights[one.node] += static_cast<double>(one.samples) / static_cast<double>(totals[one.event]);
  for (std::uint32_t node = nodes_.size() - 1; node > 0; --node)
    weights[nodes_[node].parent] += weights[node];
  std::vector<double> sorted = weights;
  // Half of them, as each may get a child that has what is cut off below it.
  const auto last = sorted.begin() + most / 2;
  std::nth_element(sorted.begin(), last, sorted.end(), std::greater<>());
  const double least = *last;

  PairTree kept;
  std::vector<std::uint32_t> moved(nodes_.size());
  for (std::uint32_t node = 1; node < nodes_.size(); ++node) {
    const std::uint32_t parent = moved[nodes_[node].parent];
    const bool below_cut = parent != PairTree::kRoot && kept[parent].value == kFolded;
    if (below_cut)
      moved[node] = parent;
    else
      moved[node] = kept.child(parent, weights[node] > least ? nodes_[node].value : kFolded);
  }
  std::vector<Count> counts;
  counts.swap(counts_);
  index_ = {};
  for (const Count& one : counts) {
    const std::uint32_t to = moved[one.node];
    const bool was_cut = one.node != PairTree::kRoot && nodes_[one.node].value == kFolded;
    if (to != PairTree::kRoot && kept[to].value == kFolded && !was_cut) folded_ += one.samples;
    count(to, one.event, one.samples, one.period);
  }
  for (Count& one : counts_) one.summed_samples = one.samples, one.summed_period = one.period;
  nodes_ = std::move(kept);
}

StackFunction& StackCollector::function(std::uint32_t event, std::uint32_t frame) {
  const std::uint64_t key = std::uint64_t{event} << 32 | frame;
  std::uint32_t at = function_index_[key];
  if (at == function_index_.kNone) {
    at = static_cast<std::uint32_t>(functions_.size());
    functions_.push_back({event, frame, {}});
    function_index_.insert(key, at);
  }
  return functions_[at].sums;
}

/// Adds the samples since the last call to the functions of their stacks, each function once; its
/// stacks are whole, as shrink() cuts only those that were summed before.
void StackCollector::sum_functions() {
  std::vector<std::size_t> seen;  // by frame: the last of counts_ in whose stack it was, from 1
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    Count& one = counts_[i];
    const std::uint64_t samples = one.samples - one.summed_samples;
    const std::uint64_t period = one.period - one.summed_period;
    if (samples == 0) continue;
    one.summed_samples = one.samples;
    one.summed_period = one.period;
    // The outermost frame is the name of a thread.
    for (std::uint32_t node = one.node; nodes_[node].parent != PairTree::kRoot;
         node = nodes_[node].parent) {
      const std::uint32_t frame = nodes_[node].value;
      if (frame >= seen.size()) seen.resize(std::max<std::size_t>(frame + 1, seen.size() * 2));
      if (std::exchange(seen[frame], i + 1) == i + 1) continue;
      StackFunction& sums = function(one.event, frame);
      sums.all_samples += samples;
      sums.all_period += period;
      if (node != one.node) continue;
      sums.samples += samples;
      sums.period += period;
    }
  }
}

std::vector<std::vector<StackFunction>> StackCollector::functions(const TextPool& texts) const {
  StackCollector all = *this;
  all.sum_functions();
  std::vector<std::vector<StackFunction>> out;
  for (Function& one : all.functions_) {
    if (one.event >= out.size()) out.resize(one.event + 1);
    one.sums.name = texts[one.frame];
    out[one.event].push_back(std::move(one.sums));
  }
  for (auto& functions : out)
    std::ranges::sort(functions, [](const StackFunction& a, const StackFunction& b) {
      return a.all_samples != b.all_samples ? a.all_samples > b.all_samples : a.name < b.name;
    });
  return out;
}

StackTree StackCollector::tree(const TextPool& texts, std::uint32_t most_nodes) const {
  StackTree out;
  if (most_ == 0) return out;
  StackCollector small = *this;
  small.shrink(std::min(most_, most_nodes));
  out.folded = small.folded_;
  std::unordered_map<std::uint32_t, std::uint32_t> frames;
  out.nodes.push_back({});
  out.frames.emplace_back("all");
  for (std::uint32_t node = 1; node < small.nodes_.size(); ++node) {
    const PairTree::Node& from = small.nodes_[node];
    const auto [frame, is_new] =
        frames.emplace(from.value, static_cast<std::uint32_t>(out.frames.size()));
    if (is_new)
      out.frames.push_back(from.value == kFolded ? "(smaller stacks)" : texts[from.value]);
    out.nodes.push_back({from.parent, frame->second});
  }
  for (const Count& one : small.counts_) {
    if (one.event >= out.events.size()) out.events.resize(one.event + 1);
    out.events[one.event].push_back({one.node, one.samples, one.period});
  }
  for (auto& counts : out.events)
    std::sort(counts.begin(), counts.end(),
              [](const auto& a, const auto& b) { return a.node < b.node; });
  return out;
}

}  // namespace evname::report
