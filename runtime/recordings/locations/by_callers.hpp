#pragma once
// A cache by the callers of an instruction, which most samples share with an earlier sample.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/hash_map.hpp"
#include "evname/perf_data.hpp"

namespace evname::locations {

/// What names callers beside their addresses: see LocationCache::whose().
using Whose = std::array<std::uint64_t, 4>;

/// Keeps a value for callers. Forgets all when they take too much memory.
template <class Value>
class ByCallers {
 public:
  explicit ByCallers(std::size_t most = std::size_t{16} << 20) : most_(most) {}

  /// Returns the value of these callers, valid until the next call; nullptr if there is none, and
  /// set() can set it.
  const Value* find(const Whose& whose, std::span<const Address> callers) {
    make_key(whose, callers);
    const auto known = values_.find(key_);
    return known == values_.end() ? nullptr : &known->second;
  }
  /// Keeps the value of the callers that were not there; `size`: bytes that it has elsewhere.
  void set(Value value, std::size_t size = 0) {
    if (bytes_ > most_) {
      values_.clear();
      bytes_ = 0;
    }
    bytes_ += kEntry + key_.size() * sizeof key_[0] + size;
    values_.emplace(key_, std::move(value));
  }

 private:
  using Key = std::vector<std::uint64_t>;
  static constexpr std::size_t kEntry = 2 * (sizeof(Key) + sizeof(Value));

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
  HashMap<Key, Value> values_;
  Key key_;
};

}  // namespace evname::locations
