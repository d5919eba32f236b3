#include "events/scheduling/partition.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>
#include <utility>

#include "base/sorting.hpp"

namespace evname::scheduling {
namespace {

constexpr std::size_t kFewGroups = 32;
constexpr std::size_t kSteps = 600;  ///< cost of a matching in the budget: its groups and events

/// A maximum matching of events to the counters of groups 0 … n-1, by shortest augmenting paths.
class Matching {
 public:
  static constexpr std::size_t kAnyGroup = SIZE_MAX;

  explicit Matching(std::size_t groups);

  /// Gives a counter of the group, or of any group, to one more event, if possible a fixed counter
  /// in an early group. Other events may move within their own groups. Returns false, and moves
  /// nothing, if there is no counter.
  bool add(const CounterSet& counters, std::size_t group = kAnyGroup);

  struct Seat {
    std::size_t group;
    Counter counter;
  };
  /// Returns the seat of the n-th added event, from 0; only if add() returned true.
  Seat seat(std::size_t event) const;

  /// These return the events that compete and the counters that they can use, if the last add()
  /// failed.
  const std::vector<std::size_t>& events_met() const { return met_; }
  CounterSet counters_met() const;

 private:
  static constexpr std::size_t kSlots = 128;  // a group's fixed counters, then its generic ones
  static constexpr std::size_t kFixedSlots = 64;
  static constexpr std::size_t kNone = SIZE_MAX;
  struct Event {
    CounterSet counters;
    std::size_t group;
    std::size_t slot = kNone;
  };

  std::size_t group_count() const { return slots_.size() / kSlots; }
  bool visit(std::size_t event, std::size_t first_slot, std::uint64_t set);
  bool visit(std::size_t event, std::size_t group);
  bool may_be_in(std::size_t event, std::size_t group) const {
    return events_[event].group == kAnyGroup || events_[event].group == group;
  }
  void shift(std::size_t slot);

  struct Slot {
    std::size_t owner = kNone;
    std::size_t reached_by = kNone;  ///< of the search of that number
    std::size_t search = 0;
  };
  std::vector<Slot> slots_;
  std::size_t search_ = 0;
  std::vector<Event> events_;
  std::vector<std::size_t> met_;         ///< of the current search: events that compete
  std::vector<std::size_t> next_group_;  ///< the places that each has not searched yet
};

Matching::Matching(std::size_t groups) : slots_(groups * kSlots) {}

/// Shifts slots along the path: the free slot goes to the event that reached it, and each event's
/// old slot goes to its predecessor, back to the first.
void Matching::shift(std::size_t slot) {
  while (slot != kNone) {
    const std::size_t event = slots_[slot].reached_by;
    const std::size_t before = events_[event].slot;
    slots_[slot].owner = event;
    events_[event].slot = slot;
    slot = before;
  }
}

/// Looks at the counters of one kind in one group. Returns true if a free one was found and given
/// out.
bool Matching::visit(std::size_t event, std::size_t first_slot, std::uint64_t set) {
  for (; set != 0; set &= set - 1) {
    const std::size_t slot = first_slot + static_cast<std::size_t>(std::countr_zero(set));
    Slot& at = slots_[slot];
    if (at.search == search_) continue;
    at.search = search_;
    at.reached_by = event;
    if (at.owner == kNone) {
      shift(slot);
      return true;
    }
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

/// Moves inside the first groups have priority over a free counter of a later group. With many
/// groups this would cost too much, so a free counter has priority.
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

/// The parts of events that take one counter each, and the number of pairs in each group.
class Parts {
 public:
  explicit Parts(std::size_t groups) : pairs_(groups) {}

  /// Returns the possible counters of each part. The pairs of a group take the first counters,
  /// since the other events of such a PMU can use any counter. Without a group (for a lower bound)
  /// the second part need not be next to the first.
  std::vector<CounterSet> of(const Need& need, std::size_t group) {
    if (!need.paired) return {need.counters};
    if (group == Matching::kAnyGroup) return {need.counters, need.all_counters()};
    std::uint64_t left = need.counters.generic;
    for (std::size_t i = 0; i < pairs_[group] && left != 0; ++i) left &= left - 1;
    ++pairs_[group];
    if (left == 0) return {need.counters};  // they are taken
    const std::uint64_t first = left & -left;
    return {{first, 0}, {first << 1, 0}};
  }

 private:
  std::vector<std::size_t> pairs_;
};

/// Returns the kind of register that needs too many values for these events; 0 if there is none.
std::uint16_t overfull_register(std::span<const Need> needs, const Bundle& events) {
  std::set<std::pair<std::uint16_t, std::uint64_t>> values;
  for (const std::size_t event : events)
    if (const SharedRegister& wanted = needs[event].shared; wanted.kind != 0)
      values.emplace(wanted.kind, wanted.value);
  for (const std::size_t event : events) {
    const SharedRegister& wanted = needs[event].shared;
    const auto same_kind = [&](const auto& value) { return value.first == wanted.kind; };
    if (wanted.kind != 0 && std::count_if(values.begin(), values.end(), same_kind) > wanted.copies)
      return wanted.kind;
  }
  return 0;
}

/// Remembers the events that were seen in a group, or (kAnyGroup) in some group.
class Once {
 public:
  bool is_first(const Need& need, std::size_t group) {
    if (need.same == SIZE_MAX) return true;
    const bool anywhere = seen_.emplace(need.same, Matching::kAnyGroup).second;
    return group == Matching::kAnyGroup ? anywhere : seen_.emplace(need.same, group).second;
  }

 private:
  std::set<std::pair<std::size_t, std::size_t>> seen_;
};

class Partitioner {
 public:
  Partitioner(std::span<const Need> needs, std::span<const Bundle> bundles, const CounterSet& busy,
              std::size_t budget)
      : needs_(needs), bundles_(bundles), busy_(busy), budget_(budget) {
    for (std::size_t i = 0; i < bundles.size(); ++i)
      if (bundles[i].size() > 1 || needs_place(bundles[i])) placed_.push_back(i);
    sort_stably(placed_, [&](std::size_t a, std::size_t b) {
      return bundles[a].size() > bundles[b].size();
    });
    group_of_.assign(bundles.size(), Matching::kAnyGroup);
  }

  Partition run();

 private:
  bool needs_place(const Bundle& bundle) const {
    return std::any_of(bundle.begin(), bundle.end(), [&](std::size_t event) {
      return needs_[event].shared.kind != 0 || needs_[event].paired;
    });
  }
  std::vector<std::size_t> match_order() const;
  std::size_t groups_for(const CounterSet& counters) const;
  std::size_t match(std::size_t groups);
  bool fits_registers(std::size_t group) const;
  bool may_take(std::size_t steps);
  bool search(std::size_t next, std::size_t used, std::size_t groups);
  void place_first_fit(std::size_t groups);
  Partition result(std::size_t groups, bool smallest) const;

  std::span<const Need> needs_;
  std::span<const Bundle> bundles_;
  const CounterSet& busy_;
  std::size_t budget_, steps_ = budget_ * kSteps;
  std::vector<std::size_t> placed_;    ///< bundles that are tried in groups, largest first
  std::vector<std::size_t> group_of_;  ///< by bundle; kAnyGroup: its events may be in any groups
  Partition found_;
};

/// Puts bundles with a group first, so that shared events need not be counted again.
std::vector<std::size_t> Partitioner::match_order() const {
  std::vector<std::size_t> order(bundles_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_partition(order.begin(), order.end(), [&](std::size_t bundle) {
    return group_of_[bundle] != Matching::kAnyGroup;
  });
  return order;
}

/// Returns the least number of groups so that these counters suffice for the events that need them;
/// 0 if they never do.
std::size_t Partitioner::groups_for(const CounterSet& counters) const {
  const auto inside = [&](const CounterSet& set) {
    return (set.generic & ~counters.generic) == 0 && (set.fixed & ~counters.fixed) == 0;
  };
  std::size_t events = 0;
  Once once;
  for (const Bundle& bundle : bundles_)
    for (const std::size_t event : bundle)
      if (!needs_[event].counters.empty() && inside(needs_[event].all_counters()) &&
          once.is_first(needs_[event], Matching::kAnyGroup))
        events += needs_[event].paired ? 2 : 1;
  const auto all = static_cast<std::size_t>(counters.size());
  const std::size_t free = !busy_.empty() && inside(busy_) ? all - 1 : all;
  return free == 0 ? 0 : (events + free - 1) / free;
}

/// Matches all events to the counters of that many groups, where bundles without a group may be
/// split. Returns 0, or a higher lower bound for the number of groups.
std::size_t Partitioner::match(std::size_t groups) {
  Matching matching(groups);
  found_.places.assign(needs_.size(), {});
  for (std::size_t group = 0; group < groups; ++group)
    if (!busy_.empty()) matching.add(busy_, group);
  const std::size_t always = busy_.empty() ? 0 : groups;
  std::vector<std::size_t> added;
  Once once;
  Parts parts(groups);
  for (const std::size_t bundle : match_order())
    for (const std::size_t event : bundles_[bundle]) {
      const std::size_t group = group_of_[bundle];
      found_.places[event].group = group == Matching::kAnyGroup ? 0 : group;
      if (needs_[event].counters.empty() || !once.is_first(needs_[event], group)) continue;
      for (const CounterSet& part : parts.of(needs_[event], group)) {
        added.push_back(event);
        if (!matching.add(part, group))
          return std::max(groups + 1, groups_for(matching.counters_met()));
      }
    }
  for (std::size_t i = added.size(); i-- > 0;) {  // of a pair, the first counter stays
    const Matching::Seat seat = matching.seat(always + i);
    found_.places[added[i]] = {seat.group, seat.counter};
  }
  return 0;
}

bool Partitioner::fits_registers(std::size_t group) const {
  Bundle all;
  for (const std::size_t bundle : placed_)
    if (group_of_[bundle] == group)
      all.insert(all.end(), bundles_[bundle].begin(), bundles_[bundle].end());
  return overfull_register(needs_, all) == 0;
}

/// Counts steps of the search. Returns false if there were too many; the search then stops.
bool Partitioner::may_take(std::size_t steps) {
  steps_ -= std::min(steps, steps_);
  if (steps_ == 0) budget_ = 0;
  return budget_ != 0;
}

/// Tries the groups for bundle `next` of placed_; only the first of the empty groups, since all are
/// alike.
bool Partitioner::search(std::size_t next, std::size_t used, std::size_t groups) {
  if (!may_take(groups + needs_.size())) return false;
  --budget_;
  if (match(groups) != 0) return false;
  if (next == placed_.size()) return true;
  for (std::size_t group = 0; group < std::min(used + 1, groups); ++group) {
    if (!may_take(placed_.size() / 8)) break;
    group_of_[placed_[next]] = group;
    if (fits_registers(group) && search(next + 1, std::max(used, group + 1), groups)) return true;
  }
  group_of_[placed_[next]] = Matching::kAnyGroup;
  return false;
}

/// Puts each bundle where it first fits, if search() can't decide within its budget.
void Partitioner::place_first_fit(std::size_t groups) {
  std::vector<Bundle> held(std::max(groups, bundles_.size()));
  for (const std::size_t bundle : placed_)
    for (std::size_t group = 0; group < held.size(); ++group) {
      Bundle wanted = held[group];
      wanted.insert(wanted.end(), bundles_[bundle].begin(), bundles_[bundle].end());
      if (shortage(needs_, wanted, busy_)) continue;
      held[group] = std::move(wanted);
      group_of_[bundle] = group;
      break;
    }
}

Partition Partitioner::result(std::size_t groups, bool smallest) const {
  Partition out = found_;
  out.smallest = smallest;
  std::vector<std::size_t> number(groups, groups);
  for (const Bundle& bundle : bundles_)
    for (const std::size_t event : bundle) {
      std::size_t& group = out.places[event].group;
      if (number[group] == groups) number[group] = out.groups++;
      group = number[group];
    }
  return out;
}

Partition Partitioner::run() {
  found_.places.assign(needs_.size(), {});
  if (bundles_.empty()) return found_;
  std::size_t groups = 1;
  while (groups <= bundles_.size()) {
    const std::size_t more = match(groups);  // bundles may be split: a lower bound
    if (more == 0 && (placed_.empty() || search(0, 0, groups))) return result(groups, true);
    if (budget_ == 0) break;
    groups = std::max(more, groups + 1);
  }
  group_of_.assign(bundles_.size(), Matching::kAnyGroup);
  place_first_fit(groups);
  for (const std::size_t bundle : placed_) groups = std::max(groups, group_of_[bundle] + 1);
  for (std::size_t more = match(groups); more != 0 && groups <= bundles_.size();
       more = match(groups))
    groups = more;
  return result(groups, false);
}

}  // namespace

int CounterSet::size() const { return std::popcount(generic) + std::popcount(fixed); }

namespace {

/// Sets the members that depend on the events of a shortage, each once.
void complete(std::span<const Need> needs, const CounterSet& met, Shortage& out) {
  sort_stably(out.events);
  out.events.erase(std::unique(out.events.begin(), out.events.end()), out.events.end());
  out.counters = met;
  for (const std::size_t event : out.events) {
    if (!needs[event].paired) continue;
    ++out.paired;
    out.counters.generic |= needs[event].all_counters().generic;
  }
}

}  // namespace

std::optional<Shortage> shortage(std::span<const Need> needs, const Bundle& events,
                                 const CounterSet& busy) {
  Shortage out;
  if (const std::uint16_t kind = overfull_register(needs, events)) {
    out.shared_kind = kind;
    for (const std::size_t event : events)
      if (needs[event].shared.kind == kind) out.events.push_back(event);
    return out;
  }
  Matching matching(1);
  const std::size_t always = busy.empty() ? 0 : 1;
  if (always) matching.add(busy);
  std::vector<std::size_t> added;
  Once once;
  Parts parts(1);
  for (const std::size_t event : events) {
    if (needs[event].counters.empty() || !once.is_first(needs[event], 0)) continue;
    for (const CounterSet& part : parts.of(needs[event], 0)) {
      added.push_back(event);
      if (matching.add(part)) continue;
      for (const std::size_t met : matching.events_met()) {
        if (met < always)
          out.busy = true;
        else
          out.events.push_back(added[met - always]);
      }
      complete(needs, matching.counters_met(), out);
      return out;
    }
  }
  return std::nullopt;
}

Partition partition(std::span<const Need> needs, std::span<const Bundle> bundles,
                    const CounterSet& busy, std::size_t budget) {
  return Partitioner(needs, bundles, busy, budget).run();
}

}  // namespace evname::scheduling
