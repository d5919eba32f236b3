#pragma once
// Why events can't be counted, or not at once, in sentences for people.

#include <span>
#include <string>
#include <string_view>

#include "events/scheduling/partition.hpp"

namespace evname::scheduling {

/// "2", "fixed 1".
std::string counter_text(const Counter& counter);

/// "5 events (a, b, c, d, e) for 4 counters (0-3) of cpu": at most eight are named.
std::string shortage_text(const Shortage& shortage, std::span<const std::string> names,
                          std::string_view pmu);

/// "a can't be counted: it needs counter 4-7, and cpu has 0-3".
std::string no_counter_text(std::string_view event, const CounterSet& needed, std::string_view pmu,
                            const CounterSet& all);

/// "a can't be counted: " or "the group {a,b} can't be counted at once: ", and why.
std::string uncountable_text(std::span<const std::string> events, std::string_view why);

}  // namespace evname::scheduling
