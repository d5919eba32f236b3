#pragma once
// What Counters are inside.

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "counting/counter_sets.hpp"
#include "counting/own_clocks.hpp"
#include "evname/counters.hpp"

namespace evname::counting {

/// One of evname's own clocks, and for which event and place it runs.
struct ClockAt {
  ClockAt(std::size_t of_event, std::size_t at, ClockKind what, CountTarget::Kind kind,
          CountPlace whose)
      : event(of_event), place(at), clock(what, kind, whose) {}

  std::size_t event, place;
  OwnClock clock;
};

/// A number for the calling thread, other than that of any thread before it, and after fork(2) in
/// the child. Costs no system call.
std::uint64_t this_thread_number();
/// Whether it is the calling thread's.
bool is_this_thread(std::uint64_t number);

}  // namespace evname::counting

namespace evname {

struct Counters::State {
  static constexpr std::size_t kAllPlaces = SIZE_MAX;

  explicit State(Machine of) : machine(std::move(of)) {}

  static Result<std::unique_ptr<State>> open(const Machine& machine,
                                             std::span<const Encoding> wanted,
                                             const CountTarget& target,
                                             const CounterOptions& options);

  std::span<const counting::OpenCounter> members(const counting::CounterSet& set) const {
    return {files.counters.data() + set.first, set.count};
  }
  Result<void> order_all(unsigned long request) const;
  Result<void> read(std::size_t place, std::span<CounterValue> out) const;
  /// For `only_in_user_space`, in as few instructions as it takes. False: it takes system calls.
  bool read_itself(std::span<CounterValue> out) const;

  Machine machine;  ///< whose texts the events have
  Roots roots;
  std::vector<Encoding> events;
  std::vector<std::optional<Error>> problems;  ///< of the events
  std::vector<CountPlace> places;
  counting::CounterSets files;
  std::deque<counting::ClockAt> clocks;  ///< which can't be moved
  bool only_in_user_space = false;       ///< each event has one counter, and all have pages
  std::uint64_t owner = 0;               ///< the thread that opened them
};

}  // namespace evname
