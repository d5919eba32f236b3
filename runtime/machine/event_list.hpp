#pragma once
// Everything that can be named on a machine.

#include <string_view>
#include <vector>

#include "machine/state.hpp"

namespace evname::event {

/// See Machine::events.
std::vector<EventInfo> list_events(const detail::MachineState& state, std::string_view glob);

}  // namespace evname::event
