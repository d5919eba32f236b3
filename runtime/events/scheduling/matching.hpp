#pragma once
// Maximum matching of events to the counters of a number of groups, by shortest augmenting paths.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace evname::scheduling {

/// A set of counters of one PMU: bit n of `generic` and of `fixed` stands for counter n.
struct CounterSet {
  std::uint64_t generic = 0;
  std::uint64_t fixed = 0;

  bool empty() const { return generic == 0 && fixed == 0; }
  int size() const;
  bool operator==(const CounterSet&) const = default;
};

/// One counter of a PMU.
struct Counter {
  bool is_fixed = false;
  std::uint8_t index = 0;

  bool operator==(const Counter&) const = default;
};

/// The counters of groups 0 … n-1, and which event has each.
class Matching {
 public:
  static constexpr std::size_t kAnyGroup = SIZE_MAX;

  explicit Matching(std::size_t groups);

  /// Gives a counter of the group, or of any, to one more event: a fixed one and an early group
  /// where there is a choice. Others move where they have to, each inside what it was added with.
  /// False: there is none, and nobody has moved.
  bool add(const CounterSet& counters, std::size_t group = kAnyGroup);

  struct Seat {
    std::size_t group;
    Counter counter;
  };
  /// Of an event, by the order in which they were added, from 0; only if add() said true.
  Seat seat(std::size_t event) const;

  /// Of the last add(), if it failed: the events that compete, and the counters they can use.
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
  std::vector<std::size_t> next_group_;  ///< where each of them has not looked yet
};

}  // namespace evname::scheduling
