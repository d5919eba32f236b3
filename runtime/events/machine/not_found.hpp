#pragma once
// Why a name stands for nothing here, and what to try instead.

#include "events/machine/state.hpp"
#include "events/syntax/events.hpp"

namespace evname::resolver {

/// For NAME: an event of a PMU this machine lacks, no table for this CPU, or plainly unknown.
Error unknown_event(const detail::MachineState& state, const syntax::Spec& spec);

/// For NAME/terms/ where NAME is neither a PMU nor an event.
Error unknown_pmu(const detail::MachineState& state, const syntax::Spec& spec);

/// For SYS:EVENT: `why` no tracepoint was found, or that it is an event with wrong modifiers.
Error no_tracepoint(const detail::MachineState& state, const syntax::Spec& spec, Error why);

}  // namespace evname::resolver
