#pragma once
// How many counters a PMU has: the tables say, or rows of this build, or the machine at hand.

#include <optional>
#include <string_view>

#include "events/machine/machine_state.hpp"
#include "events/scheduling/matching.hpp"
#include "evname/schedule.hpp"

namespace evname::scheduling {

/// The counters of one PMU.
struct PmuCounters {
  CounterSet all;
  bool known = false;         ///< false: nobody knows how many there are
  bool each_its_own = false;  ///< no two events ever compete
};

PmuCounters counters_of(const detail::MachineState& state, const machine::BoundPmu& bound,
                        const ScheduleOptions& options);

/// Generic counters of a core of this model if its hyper-threads are off; nullopt: as many as if
/// they are on.
std::optional<unsigned> counters_without_smt(std::string_view arch, std::string_view model);

}  // namespace evname::scheduling
