#pragma once
// Caches values by the locations of addresses. Samples have the same locations again and again, and
// processes that run the same program share them.

#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/hash_map.hpp"
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
  /// Returns the items of a location, valid until the next call. make() makes them if they are not
  /// there.
  template <class Make>
  std::span<const Item> of(const Location& location, Make&& make) {
    const Part part = parts_.of(location, [&] {
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

 private:
  static constexpr std::size_t kMost = (std::size_t{16} << 20) / sizeof(Item);

  struct Part {
    std::uint32_t start = 0, size = 0;  ///< in the items
  };

  ByLocation<Part> parts_;
  std::vector<Item> items_;
};

}  // namespace evname::locations
