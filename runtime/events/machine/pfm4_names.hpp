#pragma once
// Translates event texts of libpfm4 and PAPI to event texts of this machine.

#include <optional>
#include <string>
#include <string_view>

#include "events/machine/machine_state.hpp"
#include "events/pfm4/dictionary.hpp"

namespace evname::machine {

/// Returns a list of events in which those that only libpfm4 or PAPI knows are written in perf's
/// syntax; nullopt: there are none. Fails for an event that libpfm4 knows but whose masks or
/// modifiers are wrong.
Result<std::optional<std::string>> without_pfm4_names(const detail::MachineState& state,
                                                      std::string_view events);

}  // namespace evname::machine
