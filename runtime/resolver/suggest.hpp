#pragma once
// "did you mean …": names close to one that isn't there.

#include <string>
#include <string_view>

#include "machine/state.hpp"

namespace evname::event {

/// "did you mean a, b, c?" with the machine's nearest event names; "" if none is near.
std::string suggest_events(const detail::MachineState& state, std::string_view name);

/// The same for PMU names.
std::string suggest_pmus(const detail::MachineState& state, std::string_view name);

}  // namespace evname::event
