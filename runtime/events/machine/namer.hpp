#pragma once
// Codes to names. A name is given only if it stands for exactly that code, alone or together with
// the qualifiers that are told beside it.

#include "events/machine/code_index.hpp"
#include "events/machine/state.hpp"

namespace evname::naming {

/// Names of a perf_event_attr; see Machine::names_of.
CodeNames names_of(const detail::MachineState& state, const Code& code);
CodeNames names_of(const detail::MachineState& state, std::string_view pmu, const Code& code);

/// See Machine::exact_name.
std::string_view exact_name(const detail::MachineState& state, const Code& code);
std::string_view exact_name(const detail::MachineState& state, std::string_view pmu,
                            const Code& code);

/// Texts for an encoding, the best one first and the one that holds nothing but numbers last. Not
/// all of them need to resolve to the encoding: Machine::name_of tries.
std::vector<std::string> spellings(const detail::MachineState& state, const Encoding& encoding);

}  // namespace evname::naming
