#pragma once
// Sentences about counters, for schedule().

#include <span>
#include <string>

#include "scheduling/partition.hpp"

namespace evname::event {

/// "0-3", "0,2", "fixed 1", "0-7 and fixed 0": as few ranges as can be.
std::string counters_text(const CounterSet& counters);

/// "2", "fixed 1".
std::string counter_text(const Counter& counter);

/// "5 events (a, b, c, d, e) for 4 counters (0-3) of cpu": at most eight are named.
std::string shortage_text(const Shortage& shortage, std::span<const std::string> names,
                          std::string_view pmu);

}  // namespace evname::event
