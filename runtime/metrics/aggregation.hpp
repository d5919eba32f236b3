#pragma once
// What counts are summed over.

#include <string>
#include <string_view>
#include <vector>

#include "evname/counts.hpp"
#include "evname/features.hpp"

namespace evname::measure {

/// What enum aggr_mode of the perf with that version means; what is not known here is the total,
/// and a warning.
CountsPer recorded_aggregation(std::uint64_t mode, std::string_view perf_version,
                               std::vector<std::string>& warnings);

/// "CPU3", "S0-D0-C1"; empty for the total.
std::string place_name(CountsPer per, std::uint32_t cpu, const perfdata::CpuTopology& topology);

}  // namespace evname::measure
