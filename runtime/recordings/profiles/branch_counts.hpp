#pragma once
// Counts branches, the code between them, and samples, by their places in one file.

#include <cstdint>
#include <vector>

namespace evname::profiles {

/// The key of a count. A place is an offset in the file's code plus 1; 0 is outside of the file.
enum class Counted : std::uint32_t {
  trace,         ///< a branch, its target, and the next branch after it
  mispredicted,  ///< a branch and its target
  branch,        ///< the same, counted apart from traces
  range,         ///< the first and the last instruction of code that ran without branching
  fall_through,  ///< the target of a branch that is unknown, and the next branch after it
  sample,        ///< an instruction
};

struct BranchKey {
  static constexpr std::uint32_t kOutside = 0;
  /// In place of a trace's next branch: it is unknown, or outside of the file.
  static constexpr std::uint32_t kNone = UINT32_MAX;

  Counted counted = Counted::trace;
  std::uint32_t first = 0, second = 0, third = 0;

  auto operator<=>(const BranchKey&) const = default;
};

/// A hash map from keys to counts that aren't 0.
class BranchCounts {
 public:
  struct Slot {
    BranchKey key;
    std::uint64_t count = 0;  ///< 0: the slot is free
  };

  BranchCounts();

  void add(const BranchKey& key, std::uint64_t count) {
    Slot* slot = &find(key);
    if (slot->count == 0) {
      if ((used_ + 1) * 3 > slots_.size() * 2) {
        grow();
        slot = &find(key);
      }
      ++used_;
      slot->key = key;
    }
    slot->count += count;
  }
  void add(const BranchCounts& other) {
    for (const Slot& slot : other.slots_)
      if (slot.count != 0) add(slot.key, slot.count);
  }
  std::size_t size() const { return used_; }
  /// Returns all counts in the order of their keys, and leaves none.
  std::vector<Slot> take_sorted();

 private:
  // The factor is random, so that no recording has keys that all collide.
  Slot& find(const BranchKey& key) {
    const std::uint64_t low = std::uint64_t{key.first} << 32 | key.second;
    const std::uint64_t high =
        std::uint64_t{key.third} << 32 | static_cast<std::uint32_t>(key.counted);
    std::uint64_t mixed = (low ^ factor_) * 0x9e3779b97f4a7c15;
    mixed = ((mixed ^ mixed >> 32) + high) * factor_;
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = mixed >> shift_;
    while (slots_[at].count != 0 && slots_[at].key != key) at = (at + 1) & mask;
    return slots_[at];
  }
  void grow();

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  std::uint64_t factor_;
  int shift_ = 0;
};

}  // namespace evname::profiles
