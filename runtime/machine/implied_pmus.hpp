#pragma once
// PMUs that perf has on every machine, whatever sysfs says.

#include <string_view>
#include <vector>

#include "pmu/pmu.hpp"

namespace evname::machine {

/// Adds the PMUs that perf has on every machine, and their events, where they are not listed:
/// "software", "tracepoint", "breakpoint" and "tool", whose events perf counts itself.
void add_implied_pmus(std::string_view arch, std::vector<pmu::Pmu>& pmus);

}  // namespace evname::machine
