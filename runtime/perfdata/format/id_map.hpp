#pragma once
// From sample ids to events.

#include <cstdint>
#include <vector>

namespace evname::perfdata {

/// Open addressing; a later insertion of the same id wins, as in perf.
class IdMap {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  void insert(std::uint64_t id, std::uint32_t event) {
    if ((count_ + 1) * 2 > slots_.size()) grow();
    Slot& slot = find(id);
    if (slot.event == kNone) ++count_;
    slot = {id, event};
  }
  std::uint32_t operator[](std::uint64_t id) const {
    return slots_.empty() ? kNone : const_cast<IdMap*>(this)->find(id).event;
  }
  std::size_t size() const { return count_; }

 private:
  struct Slot {
    std::uint64_t id = 0;
    std::uint32_t event = kNone;
  };

  // Fibonacci hashing: ids are consecutive numbers.
  Slot& find(std::uint64_t id) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (id * 0x9e3779b97f4a7c15u >> 32) & mask;
    while (slots_[at].event != kNone && slots_[at].id != id) at = (at + 1) & mask;
    return slots_[at];
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.event != kNone) find(slot.id) = slot;
  }

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

}  // namespace evname::perfdata
