#pragma once
// Machines whose events come from a directory read at run time.

#include <string>
#include <vector>

#include "evname/error.hpp"
#include "machine/state.hpp"
#include "overlay/overlay.hpp"

namespace evname::machine {

/// The capability pmu_name of a core PMU; "" if there is none.
std::string core_caps_name(const std::vector<pmu::Pmu>& pmus);

/// Makes the tree's tables those of the machine, whose CPU and match are set and whose PMUs are not
/// bound yet.
Result<void> lay_events(const overlay::Tree& tree, const std::vector<pmu::Pmu>& pmus,
                        detail::MachineState* state);

}  // namespace evname::machine
