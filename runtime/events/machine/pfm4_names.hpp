#pragma once
// Translates event texts of libpfm4 and PAPI to event texts of this machine.

#include <optional>
#include <string>
#include <string_view>

#include "events/machine/machine_state.hpp"
#include "events/pfm4/dictionary.hpp"

namespace evname::machine {

/// Returns the list with the events of libpfm4 and PAPI translated to perf's syntax; nullopt: there
/// are none. Fails for an event that libpfm4 knows but whose masks or modifiers are wrong.
Result<std::optional<std::string>> without_pfm4_names(const detail::MachineState& state,
                                                      std::string_view events);

}  // namespace evname::machine
