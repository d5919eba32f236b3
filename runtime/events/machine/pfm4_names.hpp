#pragma once
// Translates event texts of libpfm4 and PAPI to event texts of this machine, and maps libpfm4's
// names of PMUs to its PMUs.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/machine/machine_state.hpp"
#include "events/pfm4/dictionary.hpp"

namespace evname::machine {

/// Returns the list with the events of libpfm4 and PAPI translated to perf's syntax; nullopt: there
/// are none. Fails for an event that libpfm4 knows but whose masks or modifiers are wrong.
Result<std::optional<std::string>> without_pfm4_names(const detail::MachineState& state,
                                                      std::string_view events);

/// Returns the name, in libpfm4's style, of a PMU that libpfm4 does not know: "lnl_core", "srf",
/// "srf_unc_cha".
std::string pfm4_pmu_name(const detail::MachineState& state, const BoundPmu& bound);

/// Returns libpfm4's PMUs that this machine has, in its order.
const std::vector<const pfm4::Pmu*>& pfm4_pmus(const detail::MachineState& state);

/// Returns the indexes of the machine's PMUs for a PMU of the dictionary, in the order of its
/// names. If the machine is only named and lacks the sysfs name of a core, the core stands for its
/// only core PMU.
std::vector<std::size_t> places_of(const detail::MachineState& state, const pfm4::Pmu& pmu);

/// Returns true if `name` is libpfm4's name in sysfs of this PMU; "" is any core.
bool matches_pmu(const BoundPmu& bound, std::string_view name);

}  // namespace evname::machine
