#pragma once
// Applies the rules that depend on the place of an event in its group, and implements
// Machine::regroup.

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "events/machine/machine_state.hpp"
#include "evname/encoding.hpp"
#include "evname/machine.hpp"

namespace evname::machine {

/// Returns true for events of the kernel itself, which can be grouped with events of any PMU.
bool is_software(const Encoding& encoding);

/// Returns true if the PMU traces into a buffer of its own (intel_pt). Events of other PMUs can be
/// in the groups that its events lead.
bool is_aux(std::string_view pmu);

/// perf's order of events, and their leaders. Both are indexes into the given events; one more, if
/// perf adds slots.
struct OpeningOrder {
  std::vector<std::size_t> order;
  std::vector<std::size_t> leaders;    ///< by index, not by place in `order`
  std::vector<std::string_view> pmus;  ///< by index: the PMU of the event's group
};
OpeningOrder opening_order(const detail::MachineState& state, std::vector<Encoding> encodings);

/// Returns the sampled event of a group whose leader has the modifier S: the leader, or the event
/// after it if the leader can't be sampled (evsel__read_sampler of util/record.c). `leader` is an
/// index into `events`, which regroup() has grouped.
std::size_t sampled_member(const Machine& machine, std::span<const Encoding> events,
                           std::size_t leader);

}  // namespace evname::machine
