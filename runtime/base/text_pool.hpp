#pragma once
// Texts and paths in trees by number, and texts one after the other, each once.

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tsl/robin_set.h>

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
  auto begin() const { return texts_.begin(); }
  auto end() const { return texts_.end(); }

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

/// Adds texts to a string that begins with a zero byte, the empty text at offset 0. A zero byte
/// ends each text.
class UniqueTexts {
 public:
  /// `bytes` must outlive the pool and not be changed by others.
  explicit UniqueTexts(std::string& bytes)
      : bytes_(bytes), offsets_(0, Hash{&bytes}, Equal{&bytes}) {}

  /// Returns the offset of a text, which is added if it is new.
  std::uint32_t add(std::string_view text) {
    text = text.substr(0, text.find('\0'));
    if (text.empty()) return 0;
    const std::size_t hash = Hash{&bytes_}(text);
    if (const auto at = offsets_.find(text, hash); at != offsets_.end()) return *at;
    const auto offset = static_cast<std::uint32_t>(bytes_.size());
    bytes_.append(text).push_back('\0');
    offsets_.insert(offset);
    return offset;
  }

 private:
  struct Hash {
    const std::string* bytes;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
    std::size_t operator()(std::uint32_t offset) const { return (*this)(bytes->data() + offset); }
  };
  struct Equal {
    using is_transparent = void;
    const std::string* bytes;
    bool operator()(std::uint32_t a, std::uint32_t b) const { return a == b; }
    bool operator()(std::uint32_t offset, std::string_view text) const {
      return bytes->data() + offset == text;
    }
    bool operator()(std::string_view text, std::uint32_t offset) const {
      return bytes->data() + offset == text;
    }
  };

  std::string& bytes_;
  tsl::robin_set<std::uint32_t, Hash, Equal, std::allocator<std::uint32_t>, true> offsets_;
};

}  // namespace base
}  // namespace evname
