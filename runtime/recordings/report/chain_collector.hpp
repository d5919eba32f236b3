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
    bool has_name = false, is_inlined = false;
  };
  struct Sums {
    std::uint64_t samples = 0, period = 0;
  };
  /// Some 200 MB. Callchains that need more nodes end at the last one that there is.
  static constexpr std::uint32_t kMostNodes = 1 << 22;

  /// Adds a sample of a row with these frames, the first one next to the row.
  void add(std::uint32_t row, std::span<const Frame> frames, std::uint64_t period) {
    std::uint32_t node = tree_.child(PairTree::kRoot, row);
    for (const Frame& frame : frames) {
      if (tree_.size() > kMostNodes) break;
      if (frame.number >= firsts_.size()) firsts_.resize(frame.number + 1);
      if (firsts_[frame.number].address == 0) firsts_[frame.number] = frame;
      node = tree_.child(node, frame.number);
    }
    if (node >= sums_.size()) sums_.resize(node + 1);
    ++sums_[node].samples;
    sums_[node].period += period;
  }

  const PairTree& tree() const { return tree_; }
  /// Returns the samples that end at a node.
  Sums sums(std::uint32_t node) const { return node < sums_.size() ? sums_[node] : Sums(); }
  /// Returns the frame as it was added first.
  const Frame& first(std::uint32_t frame) const { return firsts_[frame]; }

 private:
  PairTree tree_;  ///< rows, then frames
  std::vector<Sums> sums_;
  std::vector<Frame> firsts_;
};

}  // namespace evname::report
