#pragma once
// What an encoding needs of its PMU's counters.

#include "events/machine/machine_state.hpp"
#include "events/scheduling/counters.hpp"
#include "events/scheduling/partition.hpp"

namespace evname::scheduling {

/// Counters are some of `counters.all`; empty where nothing is needed or known. A set that the PMU
/// does not have at all is left as it is in the tables.
Need need_of(const detail::MachineState& state, std::size_t pmu, const PmuCounters& counters,
             const Encoding& encoding);

/// The counters that can count what the NMI watchdog counts: cycles. Empty: it uses none of that
/// PMU's.
CounterSet watchdog_counters(const detail::MachineState& state, std::size_t pmu,
                             const PmuCounters& counters);

/// Topdown metrics of Intel: no counter, but only beside the slots.
bool is_topdown_metric(const detail::MachineState& state, std::size_t pmu,
                       const Encoding& encoding);

/// "offcore response MSR" of a SharedRegister::kind.
std::string_view register_name(std::uint16_t kind);

}  // namespace evname::scheduling
