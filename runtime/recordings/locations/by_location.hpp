#pragma once
// Caches values by the locations of addresses. Samples have the same locations again and again, and
// processes that run the same program share them.

#include <cstdint>
#include <tuple>
#include <utility>

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
  /// it is not there.
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

}  // namespace evname::locations
