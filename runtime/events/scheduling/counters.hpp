#pragma once
// Finds the counters of a PMU and of an event, from the event files, counters.csv or this machine,
// and whether the NMI watchdog occupies one.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "events/machine/machine_state.hpp"
#include "events/scheduling/partition.hpp"
#include "evname/machine.hpp"
#include "evname/schedule.hpp"

namespace evname::scheduling {

/// The counters of one PMU.
struct PmuCounters {
  CounterSet all;
  bool known = false;              ///< false: their number is not known
  bool each_its_own = false;       ///< no two events ever compete
  bool one_thread = false;         ///< a core that runs one thread has more counters
  std::uint64_t paired_event = 0;  ///< takes an even counter and the one after it; 0: none does
};

PmuCounters counters_of(const detail::MachineState& state, const machine::BoundPmu& bound,
                        const ScheduleOptions& options);

/// Returns the counters that can count the encoding: some of `counters.all`; none if nothing is
/// needed or known. A set without any counter of the PMU stays as in the tables.
Need need_of(const detail::MachineState& state, std::size_t pmu, const PmuCounters& counters,
             const Encoding& encoding);

/// Returns the counters that can count cycles, which the NMI watchdog does; none if it uses none of
/// that PMU's.
CounterSet watchdog_counters(const detail::MachineState& state, std::size_t pmu,
                             const PmuCounters& counters);

/// Returns true for topdown metrics of Intel, which need no counter, but need the slots in their
/// group.
bool is_topdown_metric(const detail::MachineState& state, std::size_t pmu,
                       const Encoding& encoding);

/// Returns the name of a SharedRegister::kind: "offcore response MSR".
std::string_view register_name(std::uint16_t kind);

/// Facts about a kernel whose watchdog is on (kernel.nmi_watchdog is 1).
struct WatchdogFacts {
  bool is_arm = false;       ///< arm64; else x86
  std::string config;        ///< the kernel's configuration; empty: it can't be read
  std::string command_line;  ///< of the kernel
};

/// Returns true if such a watchdog counts cycles; false if CPUs watch their neighbours ("buddy"),
/// or if arm64 has no non-maskable interrupt for it.
bool watchdog_counts(const WatchdogFacts& facts);

/// Returns true if something else occupies a counter of this machine that a thread may use;
/// nullopt: unknown.
std::optional<bool> is_counter_taken();

/// Returns true if the watchdog occupies a counter of the machine of these trees. Counters are
/// opened only if they are this machine's own.
bool watchdog_takes_counter(const Roots& roots);

}  // namespace evname::scheduling
