#pragma once
// Event texts of libpfm4 and PAPI, as event texts of this machine.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/machine/machine_state.hpp"
#include "events/pfm4/dictionary.hpp"

namespace evname::machine {

/// Returns a list of events in which those that only libpfm4 or PAPI would know are written in
/// perf's syntax; nullopt: there are none. Of an event that libpfm4 knows with wrong masks or
/// modifiers, the error.
Result<std::optional<std::string>> without_pfm4_names(const detail::MachineState& state,
                                                      std::string_view events);

/// Returns the name that a PMU has among those of libpfm4, which does not know it: "lnl_core",
/// "srf", "srf_unc_cha".
std::string pfm4_pmu_name(const detail::MachineState& state, const BoundPmu& bound);

/// Returns libpfm4's PMUs that this machine has, in its order.
const std::vector<const pfm4::Pmu*>& pfm4_pmus(const detail::MachineState& state);

}  // namespace evname::machine
