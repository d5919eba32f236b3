#pragma once
// How fast the time stamp counter of an x86 CPU runs.

#include <string_view>

#include "evname/roots.hpp"

namespace evname::measure {

/// Hz; 0 for other vendors than Intel, as in perf; NaN: not known.
double live_tsc_frequency(const Roots& roots);

/// From what the CPU calls itself: "Intel(R) Xeon(R) Gold 6154 CPU @ 3.00GHz".
double named_tsc_frequency(std::string_view cpu_name);

}  // namespace evname::measure
