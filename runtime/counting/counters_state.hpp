#pragma once
// The state of Counters: their events, places and open files.

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "counting/counter_sets.hpp"
#include "counting/own_clocks.hpp"
#include "evname/counters.hpp"

namespace evname::counting {

/// A clock of evname's own that stands for an event at a place.
struct ClockAt {
  ClockAt(std::size_t of_event, std::size_t at, ClockKind what, CountTarget::Kind kind,
          Counters::Place whose)
      : event(of_event), place(at), clock(what, kind, whose) {}

  std::size_t event, place;
  OwnClock clock;
};

/// Returns a number that no other thread of this process has or had, nor the thread that forked it.
/// Makes no system call.
std::uint64_t this_thread_number();
/// Returns true if the number is the calling thread's.
bool is_this_thread(std::uint64_t number);

}  // namespace evname::counting

namespace evname {

struct Counters::State {
  static constexpr std::size_t kAllPlaces = SIZE_MAX;

  class GroupOpener;

  explicit State(Machine of) : machine(std::move(of)) {}

  static Result<std::unique_ptr<State>> open(const Machine& machine,
                                             std::span<const Encoding> wanted,
                                             const CountTarget& target,
                                             const CounterOptions& options);

  std::span<const counting::OpenCounter> members(const counting::CounterSet& set) const {
    return {files.counters.data() + set.first, set.count};
  }
  /// Starts the clocks and counters; if `only_on_cpus`, only counters of CPUs.
  Result<void> start(bool only_on_cpus);
  Result<void> order(unsigned long request, bool only_on_cpus = false) const;
  /// Reads the counts at all places, or at one.
  Result<void> read(std::span<CounterValue> out) const;
  Result<void> read(std::size_t place, std::span<CounterValue> out) const;
  /// Reads all events in user space; requires `only_in_user_space`. Returns false if system calls
  /// are needed now.
  bool read_itself(std::span<CounterValue> out) const;

  Machine machine;  ///< keeps the texts of the events
  Roots roots;
  std::vector<Encoding> events;
  std::vector<std::optional<Error>> problems;  ///< parallel to `events`
  std::vector<Counters::Place> places;
  counting::CounterSets files;
  std::deque<counting::ClockAt> clocks;  ///< a deque, since clocks can't be moved
  bool only_in_user_space = false;       ///< each event has one counter, and all have pages
  std::uint64_t owner = 0;               ///< the thread that opened them
};

}  // namespace evname
