#pragma once
// Caches values by the locations of addresses, and by the callers of an instruction. Samples have
// the same ones again and again, and processes that run the same program share locations.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/big_pages.hpp"
#include "base/hash_map.hpp"
#include "evname/recording.hpp"
#include "recordings/session/address_maps.hpp"

namespace evname::locations {

/// A place in a DSO; for code that was made at run time, as long as it was there.
struct Location {
  const session::Dso* dso;  ///< nullptr: nothing is known to be mapped
  std::uint64_t offset;     ///< see MappedRange::offset_of()
  std::uint64_t code = 0;   ///< see KnownCode::number()
  bool operator==(const Location&) const = default;
  auto key() const { return std::tuple(dso, offset, code); }
};

/// Keeps a value for each location and a number, such as the event's. Forgets all when there
/// are too many.
template <class Value>
class ByLocation {
 public:
  /// Returns the value for a location and a number, valid until the next call. make() makes it if
  /// it is not there, and may call clear().
  template <class Make>
  const Value& of(const Location& location, std::uint32_t number, Make&& make) {
    const Key key{location, number};
    if (const auto known = values_.find(key); known != values_.end()) return known->second;
    Value value = make();
    if (values_.size() >= kMost) clear();
    return values_.emplace(key, std::move(value)).first->second;
  }
  template <class Make>
  const Value& of(const Location& location, Make&& make) {
    return of(location, 0, make);
  }
  void clear() { values_.clear(); }

 private:
  using Key = std::pair<Location, std::uint32_t>;
  static constexpr std::size_t kMost = 1 << 18;

  HashMap<Key, Value> values_;
};

/// Keeps items for each location, such as the letters of a text. Forgets all when they take too
/// much memory.
template <class Item>
class ItemsByLocation {
 public:
  /// Returns the items of a location and a number, valid until the next call. make() makes them if
  /// they are not there.
  template <class Make>
  std::span<const Item> of(const Location& location, std::uint32_t number, Make&& make) {
    const Part part = parts_.of(location, number, [&] {
      const auto made = make();
      if (items_.size() > kMost) {
        items_.clear();
        parts_.clear();
      }
      const std::size_t start = items_.size();
      items_.insert(items_.end(), made.begin(), made.end());
      return Part{static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(made.size())};
    });
    return std::span(items_).subspan(part.start, part.size);
  }
  template <class Make>
  std::span<const Item> of(const Location& location, Make&& make) {
    return of(location, 0, make);
  }

 private:
  static constexpr std::size_t kMost = (std::size_t{16} << 20) / sizeof(Item);

  struct Part {
    std::uint32_t start = 0, size = 0;  ///< in the items
  };

  ByLocation<Part> parts_;
  std::vector<Item> items_;
};

/// What names callers beside their addresses: see LocationCache::whose().
using Whose = std::array<std::uint64_t, 4>;

/// Keeps a value for the callers of an instruction; of a std::string_view, a copy of its text.
/// Forgets all when they take too much memory.
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
      use_big_pages(room_.get(), most_);
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
