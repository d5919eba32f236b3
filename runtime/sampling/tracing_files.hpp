#pragma once
// Collects the formats of tracepoints from tracefs, for readers on other machines.

#include <span>
#include <string>

#include "evname/encoding.hpp"
#include "evname/machine.hpp"

namespace evname::sampling {

/// Returns the feature TRACING_DATA for the tracepoints among the events; "" if there are none.
/// Source of the layout: util/trace-event-info.c of perf, version 0.6.
std::string tracing_data_of(std::span<const Encoding> events, const Roots& roots);

}  // namespace evname::sampling
