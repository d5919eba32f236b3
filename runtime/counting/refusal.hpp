#pragma once
// Explains why the kernel refuses a counter, and what the user can do.

#include "evname/counters.hpp"

namespace evname::counting {

/// A request that the kernel refused.
struct Refused {
  const Encoding& event;
  Counters::Place place;
  bool in_group = false;   ///< true if its leader was opened
  bool of_cgroup = false;  ///< true if it counts a cgroup
};

/// Returns the error for an errno of perf_event_open(2).
Error refusal(const Refused& refused, int error, const Machine& machine, const Roots& roots);

/// Returns the event as it was written.
std::string name_of(const Encoding& event);

/// Returns true if the NMI watchdog occupies a counter of each core PMU.
bool watchdog_counts(const Roots& roots);

/// Returns an error, without an event's name, if the machine of these roots has PMUs but no core
/// PMU.
std::optional<Error> no_core_pmu(const Machine& machine, const Roots& roots);

/// Returns an error if this machine can't count the event for any user.
std::optional<Error> known_problem(const Encoding& event, const Machine& machine,
                                   const Roots& roots);

}  // namespace evname::counting
