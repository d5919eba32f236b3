#pragma once
// The order and the groups in which perf opens events, which may not be as they were written.

#include <vector>

#include "machine/state.hpp"

namespace evname::resolver {

/// See Machine::regroup.
std::vector<Encoding> regroup(const detail::MachineState& state, std::vector<Encoding> encodings);

/// Events that the kernel counts itself: they can be in a group with those of any PMU.
bool is_software(const Encoding& encoding);

}  // namespace evname::resolver
