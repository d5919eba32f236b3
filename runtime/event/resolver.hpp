#pragma once
// Names to codes: event text -> tree -> candidates on each PMU -> encodings.

#include <string_view>
#include <vector>

#include "event/machine_state.hpp"
#include "evname/encoding.hpp"

namespace evname::event {

/// See Machine::resolve. A list is all or nothing: the first event that fails is the error.
Result<std::vector<Encoding>> resolve(const detail::MachineState& state, std::string_view events);

}  // namespace evname::event
