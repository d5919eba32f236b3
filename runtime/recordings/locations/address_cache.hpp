#pragma once
// A cache of what is at the addresses of processes: samples have the same ones again and again.

#include <cstdint>
#include <utility>
#include <vector>

#include "evname/perf_data.hpp"
#include "recordings/perf_data/perf_data_state.hpp"
#include "recordings/session/address_maps.hpp"

namespace evname::recording {

/// Keeps a small value for each address, as long as what is mapped there stays the same.
template <class Value>
class AddressCache {
 public:
  /// Returns the value of an address, which make() returns if it is not there.
  template <class Make>
  Value of(const Sample& sample, Address address, Make&& make) {
    const std::int32_t pid = address.kernel ? 0 : detail::record_of(sample).pid;
    const std::uint64_t generation = detail::maps_of(sample).generation(address.kernel);
    Slot& slot = slot_of(pid, address);
    if (!slot.is_of(pid, address) || slot.generation != generation)
      slot = {make(), address.value, generation, pid, address.kernel, true};
    return slot.value;
  }

  void clear() { slots_.assign(slots_.size(), {}); }

 private:
  /// A lookup goes through a group of slots. The table grows to the most bits.
  static constexpr unsigned kGroup = 4, kFirstBits = 12, kMostBits = 17;

  struct Slot {
    Value value = {};
    std::uint64_t address = 0;
    std::uint64_t generation = 0;  ///< of the maps that the value was found by
    std::int32_t pid = 0;          ///< 0 for the kernel's addresses
    bool kernel = false, used = false;

    bool is_of(std::int32_t process, Address at) const {
      return used && address == at.value && pid == process && kernel == at.kernel;
    }
  };

  /// Returns the slot of an address, or that of another to be replaced.
  Slot& slot_of(std::int32_t pid, Address address) {
    const std::uint64_t mixed = address.value ^ static_cast<std::uint32_t>(pid);
    const std::uint64_t hash = mixed * 0x9e3779b97f4a7c15 >> 32;
    if (slots_.empty()) slots_.resize(std::size_t{1} << bits_);
    for (;;) {
      Slot* const group = &slots_[(hash >> (32 - bits_)) & ~std::uint64_t{kGroup - 1}];
      for (Slot* slot = group; slot != group + kGroup; ++slot)
        if (!slot->used || slot->is_of(pid, address)) return *slot;
      if (bits_ == kMostBits) return group[hash % kGroup];
      grow();
    }
  }

  void grow() {
    ++bits_;
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(std::size_t{1} << bits_));
    const unsigned bits = bits_;
    for (const Slot& slot : old)
      if (slot.used && bits == bits_) slot_of(slot.pid, {slot.address, slot.kernel}) = slot;
  }

  unsigned bits_ = kFirstBits;
  std::vector<Slot> slots_;
};

}  // namespace evname::recording
