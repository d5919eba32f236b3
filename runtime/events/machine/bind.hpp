#pragma once
// Which tables serve which PMU.

#include <optional>
#include <vector>

#include "events/machine/state.hpp"

namespace evname::machine {

/// Binds the PMUs, and those that perf has on every machine, to the machine's model (or, where a
/// PMU has a CPUID of its own and the model was not named by the caller, to the one of that CPUID)
/// and prepares the index of names. state.cpu and state.match are set before.
void bind_pmus(std::vector<pmu::Pmu> pmus, detail::MachineState* state);

/// All tables of the machine's architecture, with its system models; nullptr if there are none.
const tables::ArchTables* architecture_of(const detail::MachineState& state);

}  // namespace evname::machine
