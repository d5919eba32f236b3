#pragma once
// Why the kernel refuses a counter, and what can be done.

#include "evname/counters.hpp"

namespace evname::counting {

/// What was asked for.
struct Refused {
  const Encoding& event;
  CountPlace place;
  bool in_group = false;   ///< behind a leader that was opened
  bool of_cgroup = false;  ///< its cgroup's
};

/// By errno of perf_event_open(2).
Error refusal(const Refused& refused, int error, const Machine& machine, const Roots& roots);

/// The event with its modifiers, as people write it.
std::string name_of(const Encoding& event);

/// Whether the NMI watchdog keeps a counter of each core PMU.
bool watchdog_counts(const Roots& roots);

/// The error for an event that this machine can't count whoever asks; no value: it may.
std::optional<Error> known_problem(const Encoding& event, const Machine& machine,
                                   const Roots& roots);

}  // namespace evname::counting
