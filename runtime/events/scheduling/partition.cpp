#include "events/scheduling/partition.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace evname::scheduling {
namespace {

/// The kind of register that these events want too many values in; 0: none.
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

/// Tells events that were seen in that group, or (kAnyGroup) in some group, before.
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
      if (bundles[i].size() > 1 || has_register(bundles[i])) placed_.push_back(i);
    std::stable_sort(placed_.begin(), placed_.end(), [&](std::size_t a, std::size_t b) {
      return bundles[a].size() > bundles[b].size();
    });
    group_of_.assign(bundles.size(), Matching::kAnyGroup);
  }

  Partition run();

 private:
  bool has_register(const Bundle& bundle) const {
    return std::any_of(bundle.begin(), bundle.end(),
                       [&](std::size_t event) { return needs_[event].shared.kind != 0; });
  }
  std::vector<std::size_t> match_order() const;
  std::size_t groups_for(const CounterSet& counters) const;
  std::size_t match(std::size_t groups);
  bool fits_registers(std::size_t group) const;
  bool search(std::size_t next, std::size_t used, std::size_t groups);
  void place_first_fit(std::size_t groups);
  Partition result(std::size_t groups, bool smallest) const;

  std::span<const Need> needs_;
  std::span<const Bundle> bundles_;
  const CounterSet& busy_;
  std::size_t budget_;
  std::vector<std::size_t> placed_;    ///< bundles that are tried in groups, largest first
  std::vector<std::size_t> group_of_;  ///< by bundle; kAnyGroup: wherever its events fit
  Partition found_;
};

/// Bundles that have their group first: what others share with them need not be counted again.
std::vector<std::size_t> Partitioner::match_order() const {
  std::vector<std::size_t> order(bundles_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_partition(order.begin(), order.end(), [&](std::size_t bundle) {
    return group_of_[bundle] != Matching::kAnyGroup;
  });
  return order;
}

/// The least number of groups in which these counters suffice for the events that can use no
/// others; 0: they never do.
std::size_t Partitioner::groups_for(const CounterSet& counters) const {
  const auto inside = [&](const CounterSet& set) {
    return (set.generic & ~counters.generic) == 0 && (set.fixed & ~counters.fixed) == 0;
  };
  std::size_t events = 0;
  Once once;
  for (const Bundle& bundle : bundles_)
    for (const std::size_t event : bundle)
      if (!needs_[event].counters.empty() && inside(needs_[event].counters))
        events += once.is_first(needs_[event], Matching::kAnyGroup);
  const auto all = static_cast<std::size_t>(counters.size());
  const std::size_t free = !busy_.empty() && inside(busy_) ? all - 1 : all;
  return free == 0 ? 0 : (events + free - 1) / free;
}

/// Matches all events to the counters of that many groups; bundles without a group may still be
/// torn. Returns 0, or a number of groups below which it can't be done, more than this one.
std::size_t Partitioner::match(std::size_t groups) {
  Matching matching(groups);
  found_.places.assign(needs_.size(), {});
  for (std::size_t group = 0; group < groups; ++group)
    if (!busy_.empty()) matching.add(busy_, group);
  const std::size_t always = busy_.empty() ? 0 : groups;
  std::vector<std::size_t> added;
  Once once;
  for (const std::size_t bundle : match_order())
    for (const std::size_t event : bundles_[bundle]) {
      const std::size_t group = group_of_[bundle];
      found_.places[event].group = group == Matching::kAnyGroup ? 0 : group;
      if (needs_[event].counters.empty() || !once.is_first(needs_[event], group)) continue;
      added.push_back(event);
      if (matching.add(needs_[event].counters, group)) continue;
      return std::max(groups + 1, groups_for(matching.counters_met()));
    }
  for (std::size_t i = 0; i < added.size(); ++i) {
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

/// Tries the groups for bundle `next` of placed_; empty groups are all alike, so only the first of
/// them is.
bool Partitioner::search(std::size_t next, std::size_t used, std::size_t groups) {
  if (budget_ == 0) return false;
  --budget_;
  if (match(groups) != 0) return false;
  if (next == placed_.size()) return true;
  for (std::size_t group = 0; group < std::min(used + 1, groups); ++group) {
    group_of_[placed_[next]] = group;
    if (fits_registers(group) && search(next + 1, std::max(used, group + 1), groups)) return true;
  }
  group_of_[placed_[next]] = Matching::kAnyGroup;
  return false;
}

/// What search() can't decide within its budget.
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
    const std::size_t more = match(groups);  // bundles may be torn: a lower bound
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
  for (const std::size_t event : events) {
    if (needs[event].counters.empty() || !once.is_first(needs[event], 0)) continue;
    added.push_back(event);
    if (matching.add(needs[event].counters)) continue;
    for (const std::size_t met : matching.events_met())
      met < always ? void(out.busy = true) : out.events.push_back(added[met - always]);
    std::sort(out.events.begin(), out.events.end());
    out.counters = matching.counters_met();
    return out;
  }
  return std::nullopt;
}

Partition partition(std::span<const Need> needs, std::span<const Bundle> bundles,
                    const CounterSet& busy, std::size_t budget) {
  return Partitioner(needs, bundles, busy, budget).run();
}

}  // namespace evname::scheduling
