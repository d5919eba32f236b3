#include "events/scheduling/matching.hpp"

#include <bit>

namespace evname::scheduling {
namespace {

constexpr std::size_t kFewGroups = 32;

}  // namespace

Matching::Matching(std::size_t groups) : slots_(groups * kSlots) {}

int CounterSet::size() const { return std::popcount(generic) + std::popcount(fixed); }

/// Gives the slot to the event that reached it, the slot which that one had to the one before, and
/// so on to the event that the search began with.
void Matching::shift(std::size_t slot) {
  while (slot != kNone) {
    const std::size_t event = slots_[slot].reached_by;
    const std::size_t before = events_[event].slot;
    slots_[slot].owner = event;
    events_[event].slot = slot;
    slot = before;
  }
}

/// Looks at the counters of one kind in one group. True: a free one was found and given out.
bool Matching::visit(std::size_t event, std::size_t first_slot, std::uint64_t set) {
  for (; set != 0; set &= set - 1) {
    const std::size_t slot = first_slot + static_cast<std::size_t>(std::countr_zero(set));
    Slot& at = slots_[slot];
    if (at.search == search_) continue;
    at.search = search_;
    at.reached_by = event;
    if (at.owner == kNone) return shift(slot), true;
    met_.push_back(at.owner);
    next_group_.push_back(0);
  }
  return false;
}

bool Matching::visit(std::size_t event, std::size_t group) {
  const CounterSet& counters = events_[event].counters;
  return visit(event, group * kSlots, counters.fixed) ||
         visit(event, group * kSlots + kFixedSlots, counters.generic);
}

/// Moves inside the first groups come before a free counter of a later one. With many groups that
/// would cost too much; there a free counter comes first.
bool Matching::add(const CounterSet& counters, std::size_t group) {
  events_.push_back({counters, group});
  ++search_;
  met_.assign(1, events_.size() - 1);
  next_group_.assign(1, 0);
  const std::size_t first = group_count() > kFewGroups ? group_count() - 1 : 0;
  for (std::size_t last = first; last < group_count(); ++last)
    for (std::size_t i = 0; i < met_.size(); ++i)
      while (next_group_[i] <= last) {
        const std::size_t next = next_group_[i]++;
        if (may_be_in(met_[i], next) && visit(met_[i], next)) return true;
      }
  return false;
}

Matching::Seat Matching::seat(std::size_t event) const {
  const std::size_t slot = events_[event].slot;
  const std::size_t inside = slot % kSlots;
  const bool fixed = inside < kFixedSlots;
  return {slot / kSlots, {fixed, static_cast<std::uint8_t>(inside % kFixedSlots)}};
}

CounterSet Matching::counters_met() const {
  CounterSet out;
  for (const std::size_t event : met_) {
    out.generic |= events_[event].counters.generic;
    out.fixed |= events_[event].counters.fixed;
  }
  return out;
}

}  // namespace evname::scheduling
