#pragma once
// Machines whose events come from directories read at run time.

#include <string>
#include <vector>

#include "events/machine/state.hpp"
#include "events/overlay/overlay.hpp"
#include "evname/error.hpp"

namespace evname::machine {

/// What a core PMU tells of the CPU: the capability pmu_name, or the name of an Arm PMU; else "".
std::string core_caps_name(const std::vector<pmu::Pmu>& pmus);

/// The user's trees, or none; what is wrong with them is a warning of the machine.
std::vector<overlay::TreePtr> trees_of(UserEvents user_events, detail::MachineState* state);

/// Makes tables of the build's, those of the user's trees that have something for the CPU, and
/// those of `tree`, which may be null, the machine's. Its CPU and match are set, and its PMUs are
/// not bound yet. What is wrong with the user's is a warning; an error if `tree` has nothing for
/// the CPU.
Result<void> lay_events(std::vector<overlay::TreePtr> users, const overlay::TreePtr& tree,
                        const std::string& pmu_name, detail::MachineState* state);

}  // namespace evname::machine
