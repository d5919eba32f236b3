#pragma once
// What an encoding needs of its PMU's counters.

#include "machine/state.hpp"
#include "scheduling/partition.hpp"
#include "evname/schedule.hpp"

namespace evname::event {

/// The counters of one PMU.
struct PmuCounters {
  CounterSet all;
  bool known = false;         ///< false: nobody knows how many there are
  bool each_its_own = false;  ///< no two events ever compete
};

PmuCounters counters_of(const detail::MachineState& state, const detail::BoundPmu& bound,
                        const ScheduleOptions& options);

/// A generic event that no PMU is named of: `cycles` where PMU types are not known.
bool is_on_any_core(const Encoding& encoding);

/// Index of the PMU that counts the encoding; nullopt: the kernel or perf itself, or a PMU that the
/// machine does not have.
std::optional<std::size_t> pmu_of(const detail::MachineState& state, const Encoding& encoding);

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

}  // namespace evname::event
