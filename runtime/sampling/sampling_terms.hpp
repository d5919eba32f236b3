#pragma once
// Reads the terms of an event that say how to sample it: cpu-clock/freq=100,call-graph=dwarf/.

#include "evname/recorder.hpp"

namespace evname::sampling {

/// Returns the options for this event: its own terms override the options of all events. Errors:
/// invalid_argument for an unknown call-graph.
Result<RecordOptions> options_of_event(const Encoding& event, const RecordOptions& common);

/// Returns true if a term of the event says how often it is sampled (period=7, freq=100).
bool has_own_rate(const Encoding& event);

}  // namespace evname::sampling
