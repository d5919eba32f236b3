#pragma once
// Caches values that one thread derives from locations, such as their text.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "evname/perf_data.hpp"
#include "recordings/locations/location_cache.hpp"
#include "recordings/locations/recent_locations.hpp"

namespace evname::locations {

/// Keeps some items for each location, by its id. When there are too many, forgets all of them;
/// they are then made again.
template <class Item>
class ByLocation {
 public:
  /// Returns the items of a location, valid until the next call; make(items) appends them if they
  /// are missing.
  template <class Make>
  std::span<const Item> of(const NamedLocation& location, Make&& make) {
    if (location.id >= slots_.size() && slots_.size() < kMostSlots) grow(location.id);
    Slot& slot = slots_[location.id & (slots_.size() - 1)];
    if (slot.id != location.id) {
      if (items_.size() > kMostItems) {
        items_.clear();
        ++times_cleared_;
        std::fill(slots_.begin(), slots_.end(), Slot{});
      }
      const std::size_t start = items_.size();
      make(items_);
      slot = {location.id, static_cast<std::uint32_t>(start),
              static_cast<std::uint32_t>(items_.size() - start)};
    }
    return std::span(items_).subspan(slot.start, slot.size);
  }

  /// Returns the items of all locations, among them the items that of() returned since the last
  /// clearing.
  const std::vector<Item>& items() const { return items_; }
  std::size_t times_cleared() const { return times_cleared_; }

 private:
  static constexpr std::size_t kMostSlots = 1 << 17, kMostItems = (8 << 20) / sizeof(Item);

  struct Slot {
    std::uint32_t id = 0;               ///< 0: the slot is free
    std::uint32_t start = 0, size = 0;  ///< of its items
  };

  // As long as the slots grow, the index of a slot is the id.
  void grow(std::uint32_t id) {
    slots_.resize(std::clamp<std::size_t>(std::bit_ceil(std::size_t{id} + 1), 256, kMostSlots));
  }

  std::vector<Slot> slots_;
  std::vector<Item> items_;
  std::size_t times_cleared_ = 0;
};

/// Finds the items of locations by addresses of samples, with one lookup instead of three.
template <class Item>
class ByAddress {
 public:
  /// Returns the items of an address, valid until the next call; make(location, items) appends
  /// them if they are not there.
  template <class Make>
  std::span<const Item> of(LocationCache& locations, const Sample& sample, Address address,
                           Make&& make) {
    const Place place = places_.of(locations.place(sample, address), 0, [&] {
      const NamedLocation& location = locations.at(sample, address);
      const std::size_t before = items_.times_cleared();
      const std::span<const Item> made =
          items_.of(location, [&](std::vector<Item>& items) { make(location, items); });
      if (items_.times_cleared() != before) places_.clear();
      return Place{static_cast<std::uint32_t>(made.data() - items_.items().data()),
                   static_cast<std::uint32_t>(made.size())};
    });
    return std::span(items_.items()).subspan(place.start, place.size);
  }

 private:
  struct Place {
    std::uint32_t start = 0, size = 0;  ///< in the items
  };

  ByLocation<Item> items_;
  RecentLocations<Place> places_;
};

}  // namespace evname::locations
