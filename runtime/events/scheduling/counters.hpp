#pragma once
// The number of counters of a PMU, from the event files, counters.csv or the machine at hand.

#include "events/machine/state.hpp"
#include "events/scheduling/matching.hpp"
#include "evname/schedule.hpp"

namespace evname::scheduling {

/// The counters of one PMU.
struct PmuCounters {
  CounterSet all;
  bool known = false;         ///< false: nobody knows how many there are
  bool each_its_own = false;  ///< no two events ever compete
  bool one_thread = false;    ///< a core that runs one thread has more counters
};

PmuCounters counters_of(const detail::MachineState& state, const machine::BoundPmu& bound,
                        const ScheduleOptions& options);

}  // namespace evname::scheduling
