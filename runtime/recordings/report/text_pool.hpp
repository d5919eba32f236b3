#pragma once
// Keeps texts, and sequences of numbers, each once, for the keys of rows and stacks.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "perf_format/recorded_events.hpp"

namespace evname::report {

/// Texts by number.
class TextPool {
 public:
  TextPool() = default;
  TextPool(const TextPool& other) {
    for (const std::string& text : other.texts_) id(text);
  }
  TextPool(TextPool&&) noexcept = default;
  TextPool& operator=(TextPool other) {
    texts_.swap(other.texts_);
    ids_.swap(other.ids_);
    return *this;
  }

  std::uint32_t id(std::string_view text) {
    if (const auto known = ids_.find(text); known != ids_.end()) return known->second;
    const auto added = static_cast<std::uint32_t>(texts_.size());
    ids_.emplace(texts_.emplace_back(text), added);
    return added;
  }
  const std::string& operator[](std::uint32_t id) const { return texts_[id]; }

 private:
  std::deque<std::string> texts_;  ///< they do not move
  std::unordered_map<std::string_view, std::uint32_t> ids_;
};

/// A tree whose nodes are numbered in order of addition, so that a child's number is above its
/// parent's.
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
  using Index = perf_format::IndexMap<std::uint64_t>;

  std::vector<Node> nodes_ = {{kRoot, 0}};
  Index index_;
};

}  // namespace evname::report
