#pragma once
// A cache by the callers of an instruction, which most samples share with an earlier sample.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/hash_map.hpp"
#include "evname/perf_data.hpp"

namespace evname::locations {

/// What names callers beside their addresses: see LocationCache::whose().
using Whose = std::array<std::uint64_t, 4>;

/// Keeps a value for callers; of a std::string_view, a copy of its text. Forgets all when they take
/// too much memory.
template <class Value>
class ByCallers {
 public:
  explicit ByCallers(std::size_t most = std::size_t{8} << 20) : most_(most) {}
  /// A copy begins with nothing.
  ByCallers(const ByCallers& other) : ByCallers(other.most_) {}
  ByCallers& operator=(const ByCallers&) = delete;

  /// Returns the value of these callers, valid until the next call; nullptr if there is none, and
  /// set() can set it.
  const Value* find(const Whose& whose, std::span<const Address> callers) {
    make_key(whose, callers);
    const auto known = values_.find(Key{key_});
    return known == values_.end() ? nullptr : &known->second;
  }
  /// Keeps the value of the callers that were not there.
  void set(Value value) {
    if (!memory_) {
      room_ = std::make_unique_for_overwrite<std::byte[]>(most_);  // pages come as it fills
      memory_.emplace(room_.get(), most_);
    }
    if (bytes_ > most_) {
      values_.clear();
      memory_->release();
      bytes_ = 0;
    }
    bytes_ += 2 * sizeof(std::pair<Key, Value>);
    if constexpr (std::is_same_v<Value, std::string_view>) {
      const auto text = copy(std::span(value));
      value = {text.data(), text.size()};
    }
    values_.emplace(Key{copy(std::span<const std::uint64_t>(key_))}, value);
  }

 private:
  struct Key : std::span<const std::uint64_t> {
    bool operator==(const Key& other) const { return std::ranges::equal(*this, other); }
  };

  template <class Item>
  std::span<const Item> copy(std::span<const Item> items) {
    bytes_ += items.size_bytes();
    auto* const to = static_cast<Item*>(memory_->allocate(items.size_bytes(), alignof(Item)));
    std::copy(items.begin(), items.end(), to);
    return {to, items.size()};
  }

  // All addresses, then which of them are the kernel's.
  void make_key(const Whose& whose, std::span<const Address> callers) {
    const std::size_t addresses = whose.size(), masks = addresses + callers.size();
    key_.resize(masks + (callers.size() + 63) / 64);
    std::copy(whose.begin(), whose.end(), key_.begin());
    std::uint64_t mask = 0;
    for (std::size_t i = 0; i < callers.size(); ++i) {
      key_[addresses + i] = callers[i].value;
      mask |= std::uint64_t{callers[i].kernel} << i % 64;
      key_[masks + i / 64] = mask;
      if (i % 64 == 63) mask = 0;
    }
  }

  std::size_t most_, bytes_ = 0;
  std::unique_ptr<std::byte[]> room_;
  std::optional<std::pmr::monotonic_buffer_resource> memory_;  ///< in room_
  HashMap<Key, Value> values_;
  std::vector<std::uint64_t> key_;
};

}  // namespace evname::locations
