#pragma once
// Texts and paths in trees by number.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash_map.hpp"

namespace evname {
inline namespace base {

/// Texts by number, each once.
class TextPool {
 public:
  using Id = std::uint32_t;

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

  Id id(std::string_view text) {
    if (const auto known = ids_.find(text); known != ids_.end()) return known->second;
    const Id added = size();
    ids_.emplace(texts_.emplace_back(text), added);
    return added;
  }
  bool contains(std::string_view text) const { return ids_.contains(text); }
  const std::string& operator[](Id id) const { return texts_[id]; }
  Id size() const { return static_cast<Id>(texts_.size()); }

 private:
  std::deque<std::string> texts_;  ///< they do not move
  HashMap<std::string_view, Id> ids_;
};

/// A tree whose nodes are numbered in order of addition, so that a child's number is above its
/// parent's.
class PairTree {
 public:
  static constexpr std::uint32_t kRoot = 0;
  struct Node {
    std::uint32_t parent, value;
  };

  /// Returns the child of a node with this value; a new one if there is none.
  std::uint32_t child(std::uint32_t parent, std::uint32_t value) {
    const auto [at, is_new] = index_.try_emplace(std::uint64_t{parent} << 32 | value, size());
    if (is_new) nodes_.push_back({parent, value});
    return at->second;
  }
  const Node& operator[](std::uint32_t node) const { return nodes_[node]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }

 private:
  std::vector<Node, BigPages<Node>> nodes_ = {{kRoot, 0}};
  HashMap<std::uint64_t, std::uint32_t> index_;
};

}  // namespace base
}  // namespace evname
