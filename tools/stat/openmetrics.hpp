#pragma once
// Counts in the text format that Prometheus reads.

#include <span>
#include <string>

#include "stat/measurement.hpp"

namespace evname::tools {

/// What was counted since the start, as a snapshot: one counter for each unit, with labels for
/// event, PMU, code, place and cgroup. HELP and TYPE come before the samples of each.
std::string openmetrics_text(std::span<const Row> rows, Per per, double elapsed);

}  // namespace evname::tools
