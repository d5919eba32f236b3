#pragma once
// The order and the groups in which perf opens events, which may not be as they were written.

#include <cstddef>
#include <string_view>
#include <vector>

#include "events/machine/state.hpp"

namespace evname::resolver {

/// In which order perf opens events, and which event leads each: both as indexes into the events
/// as they were given. One more index than there are events: slots that perf adds.
struct Opening {
  std::vector<std::size_t> order;
  std::vector<std::size_t> leaders;    ///< by index, not by place in `order`
  std::vector<std::string_view> pmus;  ///< by index: the one that the event's group is of
};
Opening opening_of(const detail::MachineState& state, std::vector<Encoding> encodings);

/// Does the PMU trace into a buffer of its own (intel_pt)? Events of other PMUs can be in the
/// groups that its events lead.
bool is_aux(std::string_view pmu);

/// See Machine::regroup.
std::vector<Encoding> regroup(const detail::MachineState& state, std::vector<Encoding> encodings);

/// Events that the kernel counts itself: they can be in a group with those of any PMU.
bool is_software(const Encoding& encoding);

}  // namespace evname::resolver
