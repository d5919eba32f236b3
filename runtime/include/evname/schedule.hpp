#pragma once
// Which events a PMU can count together, and the fewest groups for those that it can't.

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
#include "evname/roots.hpp"

namespace evname {

/// MetricConstraint of a metric: when its events can't be a group.
enum class GroupConstraint : std::uint8_t {
  none,                 ///< they can
  no_group_events,      ///< never
  no_group_events_nmi,  ///< while the NMI watchdog has a counter
  no_group_events_smt,  ///< while SMT is on
};

/// What the tables can't know of a machine.
struct EVNAME_API ScheduleOptions {
  GroupConstraint constraint = GroupConstraint::none;  ///< of the metric the events are for
  bool nmi_watchdog = false;  ///< it counts cycles on each core PMU of x86 and arm64, all the time
  bool smt = true;            ///< Intel before Ice Lake: without SMT a core has 8 generic counters
  std::optional<unsigned> generic_counters = {};  ///< of the core PMU; nullopt: as tables have it

  /// The machine this runs on: nmi_watchdog of procfs, smt/active of sysfs, and for the default
  /// roots how many counters the CPUID instruction tells (x86, leaves 0AH and 80000022H).
  static ScheduleOptions live(const Roots& roots = {});
};

/// An event and the counter it gets.
struct ScheduledEvent {
  std::size_t event = 0;  ///< index into Schedule::events
  std::string counter;    ///< "2", "fixed 1"; empty: needs none, or nobody knows
};
/// What is counted together.
using ScheduledGroup = std::vector<ScheduledEvent>;

/// The groups of one PMU, or of several instances of a unit whose groups are alike.
struct PmuSchedule {
  /// "cpu"; "uncore_cha_0", "uncore_cha_1"; "software": what needs no PMU, a group each.
  std::vector<std::string> pmus;
  unsigned generic_counters = 0;       ///< 0 of both: not known, or each event has its own
  unsigned fixed_counters = 0;         ///< likewise
  std::vector<ScheduledGroup> groups;  ///< in the order of their first event
  bool grouped = true;   ///< false (MetricConstraint): each event is to be opened on its own
  bool smallest = true;  ///< false: the search was given up; fewer groups may do
  std::string why;       ///< a sentence, if there are several groups; else empty
};

/// The groups of all PMUs.
struct EVNAME_API Schedule {
  std::vector<Encoding> events;    ///< as Machine::regroup() orders them
  std::vector<PmuSchedule> pmus;   ///< in the order of their first event
  std::vector<std::string> notes;  ///< what the answer could not take into account

  /// Every PMU can count its events at the same time.
  bool fits() const;
};

/// Groups written with braces stay whole; an event that is asked for twice is counted once, also
/// where a group and the text beside it both have it. PMUs are independent; software events fit
/// everywhere. What is looked at: the counters that the tables say an event can use, the number of
/// counters of the PMU, Intel's fixed counters and the MSRs that events share (offcore responses,
/// load latency, frontend). What is not: other constraints of a PMU, which the tables don't have.
/// Error: a group in braces, or an event, that can't be counted even alone; it says why.
EVNAME_API Result<Schedule> schedule(const Machine& machine, std::span<const Encoding> events,
                                     const ScheduleOptions& options = {});

/// The same for what `-e` of perf takes.
EVNAME_API Result<Schedule> schedule(const Machine& machine, std::string_view events,
                                     const ScheduleOptions& options = {});

}  // namespace evname
