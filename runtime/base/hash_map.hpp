#pragma once
// The hash map of the library, and its hash function.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <tsl/robin_map.h>

#include "base/big_pages.hpp"

namespace evname {
inline namespace base {

/// Returns an odd number that differs from one process to the next, so that nobody can write a file
/// whose numbers all meet in one slot.
std::uint64_t hash_factor();

/// Hashes numbers, texts, pairs and tuples of them, ranges of numbers, and structs with a method
/// key() that returns one of these.
class Hash {
 public:
  using is_transparent = void;

  template <class Key>
  std::size_t operator()(const Key& key) const {
    return add(0, key);
  }

 private:
  template <class Key>
  std::uint64_t add(std::uint64_t sum, const Key& key) const {
    if constexpr (std::is_pointer_v<Key>) {
      return mix(sum, reinterpret_cast<std::uintptr_t>(key));
    } else if constexpr (std::integral<Key> || std::is_enum_v<Key>) {
      return mix(sum, static_cast<std::uint64_t>(key));
    } else if constexpr (std::convertible_to<Key, std::string_view>) {
      return mix(sum, std::hash<std::string_view>()(key));
    } else if constexpr (requires { key.key(); }) {
      return add(sum, key.key());
    } else if constexpr (std::ranges::range<Key>) {
      for (const auto& part : key) sum = add(sum, part);
      return sum;
    } else {
      std::apply([&](const auto&... parts) { ((sum = add(sum, parts)), ...); }, key);
      return sum;
    }
  }
  // A product has its best bits at the top, and the map takes the lowest.
  std::uint64_t mix(std::uint64_t sum, std::uint64_t word) const {
    sum = (sum ^ word) * factor_;
    return sum ^ sum >> 32;
  }

  std::uint64_t factor_ = hash_factor();
};

/// A flat map. References to its values are valid until something is added. It keeps the hashes of
/// texts and lists, which take long to compare, and is up to 80 % full: reading more memory costs
/// more time than longer searches.
template <class Key, class Value>
class HashMap : public tsl::robin_map<Key, Value, Hash, std::equal_to<>,
                                      BigPages<std::pair<Key, Value>>, std::ranges::range<Key>> {
 public:
  HashMap() { this->max_load_factor(0.8F); }
};

/// Gives keys the numbers 0, 1, …
template <class Key>
class Numbers {
 public:
  /// Returns the number of a key, and whether it is new.
  std::pair<std::uint32_t, bool> add(const Key& key) {
    const auto [at, is_new] = numbers_.try_emplace(key, size());
    if (is_new) keys_.push_back(key);
    return {at->second, is_new};
  }
  const std::vector<Key>& keys() const { return keys_; }  ///< by number
  std::uint32_t size() const { return static_cast<std::uint32_t>(keys_.size()); }

 private:
  HashMap<Key, std::uint32_t> numbers_;
  std::vector<Key> keys_;
};

}  // namespace base
}  // namespace evname
