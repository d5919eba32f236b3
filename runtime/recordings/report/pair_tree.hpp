#pragma once
// Sequences of numbers, each once: the keys of rows, and stacks.

#include <cstdint>
#include <vector>

#include "recordings/format/recorded_events.hpp"

namespace evname::report {

/// A tree whose nodes are numbered as they come, so that a child's number is above its parent's.
class PairTree {
 public:
  static constexpr std::uint32_t kRoot = 0;
  struct Node {
    std::uint32_t parent, value;
  };

  /// The child of a node with this value; a new one if there is none.
  std::uint32_t child(std::uint32_t parent, std::uint32_t value) {
    const std::uint64_t pair = std::uint64_t{parent} << 32 | value;
    if (const std::uint32_t known = index_[pair]; known != Index::kNone) return known;
    nodes_.push_back({parent, value});
    const auto added = static_cast<std::uint32_t>(nodes_.size() - 1);
    index_.insert(pair, added);
    return added;
  }
  const Node& operator[](std::uint32_t node) const { return nodes_[node]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }

 private:
  using Index = perfdata::IndexMap<std::uint64_t>;

  std::vector<Node> nodes_ = {{kRoot, 0}};
  Index index_;
};

}  // namespace evname::report
