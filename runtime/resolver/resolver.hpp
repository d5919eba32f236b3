#pragma once
// Names to codes: event text -> tree -> candidates on each PMU -> encodings.

#include <span>
#include <string_view>
#include <vector>

#include "machine/state.hpp"
#include "evname/encoding.hpp"

namespace evname::event {

/// See Machine::resolve. A list is all or nothing: the first event that fails is the error.
Result<std::vector<Encoding>> resolve(const detail::MachineState& state, std::string_view events);
/// The same into a buffer; see Machine::resolve.
Result<std::size_t> resolve(const detail::MachineState& state, std::string_view events,
                            std::span<Encoding> out);

}  // namespace evname::event
