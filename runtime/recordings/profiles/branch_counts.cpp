#include "recordings/profiles/branch_counts.hpp"

#include <algorithm>

#include "perf_format/recorded_events.hpp"

namespace evname::profiles {
namespace {

constexpr int kFirstBits = 10;

}  // namespace

BranchCounts::BranchCounts()
    : slots_(std::size_t{1} << kFirstBits),
      factor_(perf_format::hash_factor()),
      shift_(64 - kFirstBits) {}

void BranchCounts::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  --shift_;
  for (const Slot& slot : old)
    if (slot.count != 0) find(slot.key) = slot;
}

std::vector<BranchCounts::Slot> BranchCounts::take_sorted() {
  std::vector<Slot> all = std::move(slots_);
  std::erase_if(all, [](const Slot& slot) { return slot.count == 0; });
  std::sort(all.begin(), all.end(),
            [](const Slot& one, const Slot& other) { return one.key < other.key; });
  *this = BranchCounts();
  return all;
}

}  // namespace evname::profiles
