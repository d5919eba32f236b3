#pragma once
// Codes to names. A name is given only if it stands for exactly that code, alone or together with
// the qualifiers that are told beside it.

#include "machine/state.hpp"
#include "naming/code_index.hpp"

namespace evname::event {

/// Index of the PMU that counts codes of this type; raw codes: the core PMU of type 4, else the
/// first core PMU. nullopt if the machine has none.
std::optional<std::size_t> pmu_of_type(const detail::MachineState& state, std::uint32_t type);

/// Names of a perf_event_attr; see Machine::names_of.
CodeNames names_of(const detail::MachineState& state, const Code& code);
CodeNames names_of(const detail::MachineState& state, std::string_view pmu, const Code& code);

/// See Machine::exact_name.
std::string_view exact_name(const detail::MachineState& state, const Code& code);

/// The best name, or the exact raw form; see Machine::name_of.
std::string name_of(const detail::MachineState& state, const Encoding& encoding);

}  // namespace evname::event
