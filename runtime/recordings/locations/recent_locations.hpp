#pragma once
// Caches values by the locations of addresses. Samples have the same locations again and again, and
// processes that run the same program share them.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/big_pages.hpp"
#include "evname/perf_data.hpp"
#include "recordings/perf_data/perf_data_state.hpp"
#include "recordings/session/address_maps.hpp"
#include "recordings/symbols/code_history.hpp"

namespace evname::locations {

/// A place in a DSO; for code made at run time, during the lifetime of the code.
struct Location {
  const session::Dso* dso;  ///< nullptr: no mapping is known
  std::uint64_t offset;     ///< see MappedRange::offset_of()
  std::uint64_t code = 0;   ///< see KnownCode::number()
  bool operator==(const Location&) const = default;
};

/// Finds the ranges of addresses. Most addresses are in the range of an earlier sample.
class RecentRanges {
 public:
  struct Range : session::MappedRange {
    static constexpr std::uint32_t kNone = UINT32_MAX;
    std::uint32_t number = kNone;                 ///< a number that the caller keeps for the range
    std::optional<symbols::KnownCode> code = {};  ///< that the caller keeps for the range
  };

  /// Returns the range of an address of a sample, valid until the next call.
  Range& of(const Sample& sample, Address address) {
    const session::ProcessMaps& maps = detail::maps_of(sample);
    const std::uint64_t generation = maps.generation(address.kernel) << 1 | address.kernel;
    if (slots_.empty()) slots_.resize(kSlots);
    Slot& slot = slots_[(address.value >> kPartBits ^ generation * kFactor >> 40) % kSlots];
    Range& range = slot.range;
    if (slot.generation != generation || address.value - range.start >= range.end - range.start)
      slot = {{maps.find(address.value, address.kernel)}, generation};
    return range;
  }

 private:
  /// Addresses of a process that are in the same 256 KiB share a slot.
  static constexpr std::size_t kPartBits = 18, kSlots = 1 << 12;
  static constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;

  struct Slot {
    Range range = {};
    std::uint64_t generation = 0;  ///< of the maps that it was found in
  };

  std::vector<Slot> slots_;
};

/// Keeps a small value for each location and a number, such as the event's. Forgets all when there
/// are too many.
template <class Value>
class RecentLocations {
 public:
  /// Returns the value for a location and a number. make() makes it if it is missing, and may call
  /// clear(). `number` is not UINT32_MAX.
  template <class Make>
  Value of(const Location& location, std::uint32_t number, Make&& make) {
    if (slots_.empty()) slots_.resize(kFirstSlots);
    const Slot& known = slot_of(location, number);
    if (known.number != kFree) return known.value;
    const Value value = make();
    if (count_ >= slots_.size() / 2) make_room();
    ++count_;
    return (slot_of(location, number) = {location, number, value}).value;
  }

  void clear() {
    slots_.assign(slots_.size(), {});
    count_ = 0;
  }

 private:
  static constexpr std::size_t kFirstSlots = 1 << 10, kMostSlots = 1 << 18;
  static constexpr std::uint32_t kFree = UINT32_MAX;
  static constexpr std::uint64_t kCode = std::uint64_t{1} << 20;

  struct Slot {
    Location location = {};
    std::uint32_t number = kFree;
    Value value = {};
  };

  using Slots = std::vector<Slot, BigPages<Slot>>;

  /// Returns the slot of a location, or the free slot for it.
  Slot& slot_of(const Location& location, std::uint32_t number) {
    const std::uint64_t dso = (reinterpret_cast<std::uintptr_t>(location.dso) >> 4) + number;
    const std::size_t mask = slots_.size() - 1;
    std::size_t at =
        (location.offset ^ dso * factor_ >> 20 ^ location.code * kCode) * factor_ >> 40 & mask;
    while (slots_[at].number != kFree &&
           (slots_[at].location != location || slots_[at].number != number))
      at = (at + 1) & mask;
    return slots_[at];
  }

  void make_room() {
    if (slots_.size() == kMostSlots) return clear();
    const Slots old = std::exchange(slots_, Slots(slots_.size() * 4));
    for (const Slot& slot : old)
      if (slot.number != kFree) slot_of(slot.location, slot.number) = slot;
  }

  Slots slots_;
  std::size_t count_ = 0;
  std::uint64_t factor_ = perf_format::hash_factor();
};

}  // namespace evname::locations
