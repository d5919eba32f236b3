#pragma once
// Helpers of MetricFacts for live and recorded machines.

#include <string_view>

namespace evname::metrics {

/// Returns true for the architectures whose dies perf counts.
bool has_dies(std::string_view arch);

/// Returns true if a list of CPUs, "0-3,8", has more than one.
bool names_several(std::string_view cpu_list);

/// Returns the frequency of the time stamp counter in Hz from a CPU's name: "Intel(R) Xeon(R) Gold
/// 6154 CPU @ 3.00GHz". Returns 0 for other makers than Intel, as perf does, and NaN if the name
/// has no frequency.
double named_tsc_frequency(std::string_view cpu_name);

}  // namespace evname::metrics
