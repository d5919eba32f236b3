#pragma once
// Assigns counters to events, in as few groups as possible. Here an event is only a set of possible
// counters and other needs.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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

/// A register in addition to the counters. All events of a group must have the same value in it, or
/// at most as many values as it has copies.
struct SharedRegister {
  std::uint16_t kind = 0;  ///< 0: none
  std::uint16_t copies = 1;
  std::uint64_t value = 0;
};

/// The needs of one event.
struct Need {
  std::size_t same = SIZE_MAX;  ///< events of one group with the same number here are counted once
  CounterSet counters;          ///< one of these; empty: none
  SharedRegister shared;
  bool paired = false;  ///< it also takes the next counter; `counters` has every second one

  /// Returns all counters that it may occupy.
  CounterSet all_counters() const {
    return paired ? CounterSet{counters.generic | counters.generic << 1, counters.fixed} : counters;
  }
};

/// Events that must be counted at once: indexes into the needs.
using Bundle = std::vector<std::size_t>;

/// A reason why events don't fit: they need more counters than there are.
struct Shortage {
  std::vector<std::size_t> events;  ///< those that compete
  CounterSet counters;              ///< all that any of them can use
  std::size_t paired = 0;           ///< this many of them take two counters
  bool busy = false;                ///< the always counted event competes, too
  std::uint16_t shared_kind = 0;    ///< not 0: there are too few registers of this kind
};

struct Partition {
  struct Place {
    std::size_t group = 0;
    std::optional<Counter> counter;  ///< nullopt: needs none
  };
  std::vector<Place> places;  ///< by event
  std::size_t groups = 0;
  bool smallest = true;  ///< false: the search stopped early; fewer groups may be enough
};

/// Returns why these events can't be counted at once together with `busy` (always counted; may be
/// empty); nullopt if they can.
std::optional<Shortage> shortage(std::span<const Need> needs, const Bundle& events,
                                 const CounterSet& busy);

/// Returns the fewest groups so that each bundle is whole in one group, and all events of a group
/// and `busy` have their own counters. Each bundle alone must fit. Groups are in the order of their
/// first bundles.
///
/// The number is exact for bundles of one event without shared register or second counter, by a
/// matching of events to the counters of all groups. Other bundles are tried in every group, with
/// at most `budget` matchings (fewer if there are many groups); then each goes into the first group
/// that fits.
Partition partition(std::span<const Need> needs, std::span<const Bundle> bundles,
                    const CounterSet& busy, std::size_t budget = 20000);

}  // namespace evname::scheduling
