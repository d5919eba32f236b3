#pragma once
// The callchains of the samples of each row, for a table that shows them below it.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/text_pool.hpp"

namespace evname::report {

/// Adds up samples by row and callchain.
class ChainCollector {
 public:
  /// A frame of a callchain.
  struct Frame {
    std::uint32_t number = 0;   ///< in State::frames
    std::uint64_t address = 0;  ///< in the sample's process
    bool has_name = false;
  };
  struct Sums {
    std::uint64_t samples = 0, period = 0;
  };
  /// Some 200 MB, while they are pruned.
  static constexpr std::uint32_t kMostNodes = 1 << 21;

  /// Adds a sample of a row with these frames, the first one next to the row.
  void add(std::uint32_t row, std::span<const Frame> frames, std::uint64_t period) {
    if (tree_.size() > kMostNodes) prune();
    std::uint32_t node = tree_.child(PairTree::kRoot, row);
    for (const Frame& frame : frames) {
      if (frame.number >= firsts_.size()) firsts_.resize(frame.number + 1);
      if (firsts_[frame.number].address == 0) firsts_[frame.number] = frame;
      node = tree_.child(node, frame.number);
    }
    if (node >= sums_.size()) sums_.resize(node + 1);
    ++sums_[node].samples;
    sums_[node].period += period;
  }

  /// Returns true if rare callchains were cut off to make room. Their samples then count at the
  /// frame that is left, so that shares of frames below it are a little too low.
  bool is_pruned() const { return is_pruned_; }
  const PairTree& tree() const { return tree_; }
  /// Returns the samples that end at a node.
  Sums sums(std::uint32_t node) const { return node < sums_.size() ? sums_[node] : Sums(); }
  /// Returns the frame as it was added first.
  const Frame& first(std::uint32_t frame) const { return firsts_[frame]; }

 private:
  /// Keeps the half of the nodes that has most samples (lossy counting of Manku and Motwani).
  void prune() {
    is_pruned_ = true;
    sums_.resize(tree_.size());
    std::vector<std::uint64_t> totals(tree_.size());
    for (std::uint32_t node = tree_.size() - 1; node > 0; --node) {
      totals[node] += sums_[node].samples;
      totals[tree_[node].parent] += totals[node];
    }
    std::uint64_t least = (totals[PairTree::kRoot] >> 18) + 1;
    while (std::ranges::count_if(totals, [&](std::uint64_t one) { return one >= least; }) >
           kMostNodes / 2)
      least *= 2;
    PairTree kept;
    std::vector<Sums> sums(1);
    std::vector<std::uint32_t> places(tree_.size());
    for (std::uint32_t node = 1; node < tree_.size(); ++node) {
      const auto [parent, value] = tree_[node];
      places[node] = totals[node] >= least ? kept.child(places[parent], value) : places[parent];
      sums.resize(kept.size());
      sums[places[node]].samples += sums_[node].samples;
      sums[places[node]].period += sums_[node].period;
    }
    tree_ = std::move(kept);
    sums_ = std::move(sums);
  }

  bool is_pruned_ = false;
  PairTree tree_;  ///< rows, then frames
  std::vector<Sums> sums_;
  std::vector<Frame> firsts_;
};

}  // namespace evname::report
