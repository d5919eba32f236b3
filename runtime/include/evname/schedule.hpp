#pragma once
// Finds out which events a PMU can count together, and the fewest groups for the others.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evname/encoding.hpp"
#include "evname/error.hpp"
#include "evname/export.h"
#include "evname/machine.hpp"

namespace evname {

/// MetricConstraint of a metric: when its events can't be counted as a group.
enum class GroupConstraint : std::uint8_t {
  none,                  ///< they always can
  no_group_events,       ///< never
  no_group_events_nmi,   ///< not while the NMI watchdog uses a counter
  no_group_events_smt,   ///< not while SMT is on
  no_threshold_and_nmi,  ///< not while the NMI watchdog uses a counter and thresholds are wanted
};

/// Facts about a machine that the tables can't know.
struct EVNAME_API ScheduleOptions {
  GroupConstraint constraint = GroupConstraint::none;  ///< of the metric that needs the events
  /// It permanently counts cycles on each core PMU of x86 and arm64. It does not if it watches CPUs
  /// by their neighbours (CONFIG_HARDLOCKUP_DETECTOR_BUDDY), whatever kernel.nmi_watchdog is.
  bool nmi_watchdog = false;
  bool smt = true;  ///< without SMT, Intel cores before Ice Lake have 8 generic counters
  std::optional<unsigned> generic_counters = {};  ///< of the core PMU; nullopt: as in the tables

  /// Returns the options for the machine that this program runs on: nmi_watchdog of procfs if the
  /// watchdog takes a counter, smt/active of sysfs and, for the default roots on x86, the number of
  /// counters that the CPUID instruction reports (leaves 0AH and 80000022H).
  static ScheduleOptions live(const Roots& roots = {});
};

/// The groups of all PMUs.
struct EVNAME_API Schedule {
  /// An event and the counter that counts it.
  struct Event {
    std::size_t event = 0;  ///< index into Schedule::events
    /// "2", "fixed 1", "2-3" for an event that takes two; empty: none is needed, or it is unknown.
    std::string counter;
  };

  /// Events that are counted together.
  using Group = std::vector<Event>;

  /// The groups of one PMU, or of several instances of a unit that have the same groups.
  struct Pmu {
    /// "cpu"; "uncore_cha_0", "uncore_cha_1"; "software": events that need no counter, one group
    /// each.
    std::vector<std::string> pmus;
    unsigned generic_counters = 0;  ///< if both are 0: unknown, or each event has its own
    unsigned fixed_counters = 0;    ///< likewise
    std::vector<Group> groups;      ///< in the order of their first event
    bool grouped = true;            ///< false (MetricConstraint): open each event on its own
    bool smallest = true;           ///< false: the search was abandoned, fewer groups may be enough
    std::string why;                ///< why there are several groups, in a sentence; else empty
  };

  std::vector<Encoding> events;       ///< as Machine::regroup() orders them
  std::vector<Pmu> pmus;              ///< in the order of their first event
  std::vector<std::string> warnings;  ///< facts that the schedule could not consider

  /// Returns true if every PMU can count all its events at the same time.
  bool fits() const;
};

/// Finds the fewest groups for some events. Groups in braces stay whole. An event that is given
/// twice is counted once, even if it is both inside and outside a group. PMUs are independent;
/// software events fit everywhere. Considers the counters that an event can use according to the
/// tables, the number of counters of the PMU, Intel's fixed counters, AMD's events that take two
/// counters, and the MSRs that events share (offcore responses, load latency, frontend). The tables
/// state no other constraints. Errors: out_of_range for an event or a group in braces that can't be
/// counted even alone; the message gives the reason.
[[nodiscard]] EVNAME_API Result<Schedule> schedule(const Machine& machine,
                                                   std::span<const Encoding> events,
                                                   const ScheduleOptions& options = {});

/// Does the same for a list of events in the syntax of perf's -e.
[[nodiscard]] EVNAME_API Result<Schedule> schedule(const Machine& machine, std::string_view events,
                                                   const ScheduleOptions& options = {});

}  // namespace evname
