#pragma once
// Errors for names that a machine does not have, with the names that may be meant.

#include "events/machine/machine_state.hpp"
#include "events/syntax/events.hpp"
#include "evname/error.hpp"

namespace evname::machine {

/// For NAME: an event of a PMU that this machine lacks, no table for this CPU, or plainly unknown.
Error unknown_event(const detail::MachineState& state, const syntax::Spec& spec);

/// For NAME/terms/ if NAME is neither a PMU nor an event.
Error unknown_pmu(const detail::MachineState& state, const syntax::Spec& spec);

/// For SYS:EVENT: `why` no tracepoint was found, or that it is an event with wrong modifiers.
Error no_tracepoint(const detail::MachineState& state, const syntax::Spec& spec, Error why);

}  // namespace evname::machine
