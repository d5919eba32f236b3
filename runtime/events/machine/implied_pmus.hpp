#pragma once
// PMUs that perf has on every machine, whatever sysfs says.

#include <string_view>
#include <vector>

#include "events/pmu/pmu.hpp"

namespace evname::machine {

/// Does perf have this event of its own on machines of this architecture?
bool has_tool_event(std::string_view event, std::string_view arch);

/// Adds the PMUs that perf has on every machine, and their events, where they are not listed:
/// "software", "tracepoint", "breakpoint" and "tool", whose events perf counts itself.
void add_implied_pmus(std::string_view arch, std::vector<pmu::Pmu>& pmus);

}  // namespace evname::machine
