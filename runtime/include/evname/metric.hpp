#pragma once
// Computes metrics, which are numbers made from the counts of several events, and reads event
// counts from the output of `perf stat` (text, -x or --json) or a file of `perf stat record`.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evname/encoding.hpp"
#include "evname/error.hpp"
#include "evname/export.h"
#include "evname/machine.hpp"
#include "evname/schedule.hpp"

namespace evname {

namespace metrics {
struct MetricSteps;
}

/// A metric of a machine.
struct MetricInfo {
  /// States whether a metric exists once per chip or core (powerpc). The chip's or core's number
  /// replaces '?' in the metric.
  enum class Aggregation : std::uint8_t { none, per_chip, per_core };

  /// A group of metrics.
  struct Group {
    std::string name;         ///< as in MetricInfo::groups
    std::string desc;         ///< may be empty
    std::size_t metrics = 0;  ///< number of metrics in it
  };

  std::string name;                 ///< as in the topic file
  std::vector<std::string> groups;  ///< groups of metrics that it is in
  std::string desc;                 ///< one sentence; may be empty
  std::string long_desc;            ///< the full description; empty if `desc` is all there is
  std::string expr;                 ///< as in the topic file: @ stands for the slashes of events
  std::string simplified;           ///< with constants folded, as in perf's own tables
  std::string threshold;            ///< an expression; empty if there is none
  double scale = 1;                 ///< multiply the expression's value by this to get `unit`
  std::string unit;                 ///< unit of the value: "%", "MB/s"; may be empty
  GroupConstraint constraint = GroupConstraint::none;  ///< when its events can't be a group
  Aggregation aggregation = Aggregation::none;         ///< whether it exists once per chip or core
  std::vector<std::string>
      no_group;               ///< groups of metrics; there its events are not counted as a group
  std::string default_group;  ///< heading in the default output of `perf stat`
  bool shows_events = false;  ///< `perf stat` prints the counts in its default output, too
  std::string pmu;            ///< PMU as in the tables: "default_core", "cpu_atom", "uncore_imc"
  std::string model;          ///< model whose tables have it
};

/// Returns the spelling in topic files: "NO_GROUP_EVENTS_NMI", "PerChip"; "" for none.
EVNAME_API const char* to_string(GroupConstraint constraint);
EVNAME_API const char* to_string(MetricInfo::Aggregation aggregation);

/// Returns every metric whose name matches the glob and that is in the group (empty: in any or
/// none), ignoring case, sorted by name, then PMU.
EVNAME_API std::vector<MetricInfo> list_metrics(const Machine& machine, std::string_view glob = "*",
                                                std::string_view group = {});

/// Returns the groups of the machine's metrics, sorted by name.
EVNAME_API std::vector<MetricInfo::Group> list_metric_groups(const Machine& machine);

/// Facts about a machine that expressions refer to as "#smt_on", "#num_cpus", …
class EVNAME_API MetricFacts {
 public:
  /// Takes the facts that `machine` alone provides. A machine that was only named provides few.
  explicit MetricFacts(const Machine& machine);
  /// Returns the facts of the machine that these trees belong to.
  static MetricFacts live(const Machine& machine, const Roots& roots = {});

  /// Returns the names of all facts.
  static std::span<const std::string_view> names();
  /// Returns the value of a fact; NaN if it is unknown.
  double get(std::string_view name) const;
  /// Sets a fact. Returns false if there is no such fact. The leading # may be omitted.
  bool set(std::string_view name, double value);

  /// The retirement latency of the tables that `EVENT:R` stands for if it was not counted.
  enum class Latency : std::uint8_t { mean, min, max };
  ///@{
  /// Sets or returns that latency; it is the mean unless it is set.
  void set_latency(Latency latency) { latency_ = latency; }
  Latency latency() const { return latency_; }
  ///@}

  /// Returns the number of chips, or cores of a chip, that a metric with this aggregation exists
  /// for; at least 1.
  unsigned instances(MetricInfo::Aggregation aggregation) const;

 private:
  EVNAME_HIDDEN void read_topology(const std::string& sysfs);

  std::array<double, 11> values_;  ///< in the order of names()
  std::array<unsigned, 3> instances_ = {1, 1, 1};
  Latency latency_ = Latency::mean;
};

/// A time that perf measures itself. The numbers are the configs of the events of PMU "tool".
enum class ToolTime : std::uint8_t { none = 0, elapsed = 1, user = 2, system = 3 };

/// Returns the time that an event measures, however it is spelled: "duration_time",
/// "tool/config=1/".
inline ToolTime tool_time_of(const Encoding& event) {
  const std::uint64_t config = event.pmu == "tool" ? event.code.config[0] : 0;
  return config <= 3 ? static_cast<ToolTime>(config) : ToolTime::none;
}

/// An event that a metric needs.
struct MetricEvent {
  std::string text;  ///< in the syntax of perf's -e: "cpu/event=0x3c/", "INST_RETIRED.ANY"
  std::vector<Encoding> encodings;  ///< empty if it can't be counted; see `problem`
  std::string problem;              ///< why it can't be counted
  bool for_threshold = false;       ///< only a threshold needs it, no metric
  /// The value of an event that need not be counted: the retirement latency that the tables state
  /// for `EVENT:R`, in whole cycles, or the fact about the machine that an event of PMU "tool"
  /// counts. NaN: it must be counted.
  double known = std::numeric_limits<double>::quiet_NaN();
  /// Returns true if `known` is a value.
  bool is_known() const { return known == known; }
  /// Returns true for the events of PMU "tool", which perf counts itself: times, such as
  /// duration_time, and facts about the machine, such as num_cpus.
  bool is_tool() const { return !encodings.empty() && encodings.front().pmu == "tool"; }
  /// Returns the time that the event measures.
  ToolTime tool_time() const {
    return is_tool() ? tool_time_of(encodings.front()) : ToolTime::none;
  }
};

/// The count of an event: extrapolated to the time the event was enabled, but not scaled to the
/// event's unit; duration_time, user_time and system_time are in seconds.
struct EventCount {
  double value = std::numeric_limits<double>::quiet_NaN();  ///< NaN: not counted
  unsigned sources =
      0;  ///< number of units that the value is the sum of; 0: all that the machine has
  unsigned counters = 0;  ///< number of counters that the value is the sum of; 0: not known
  /// The share of the time that the event had a counter, if that is known; of several, the least.
  double running = 1;

  /// Returns false if the event was not counted.
  bool is_counted() const { return value == value; }
};

/// How the events of some metrics can be counted.
struct MetricSchedule {
  /// Events that are counted together.
  struct Group {
    std::vector<std::size_t> events;  ///< indexes into MetricSet::events()
    bool together = true;             ///< false: open each event on its own
  };
  std::vector<Group> groups;          ///< in the order of their first event
  std::string why;                    ///< a sentence, if a PMU needs several groups; else empty
  std::vector<std::string> warnings;  ///< facts that the schedule could not consider
};

/// Metrics of a machine that are computed together. Views that it returns are valid until a metric
/// is added. Several threads may call const members at the same time, but not while another thread
/// adds metrics.
class EVNAME_API MetricSet {
 public:
  /// The value of a metric.
  struct Value {
    double value = std::numeric_limits<double>::quiet_NaN();  ///< in MetricInfo::unit
    std::optional<bool> beyond;  ///< whether the threshold is exceeded; nullopt: there is none
    bool gives_up = true;        ///< perf prints nothing; if false and there is no value, "nan"

    /// Returns true if `value` is a finite number; if not, MetricSet::explain() gives the reason.
    bool has_value() const { return std::isfinite(value); }
  };

  /// Why a metric has no value.
  struct Gap {
    /// The kinds of reasons.
    enum class Why : std::uint8_t {
      none,         ///< it has a value
      not_counted,  ///< `events` were not counted
      no_event,     ///< `events` can't be counted on this machine
      zero,         ///< it divides by a number that is 0 because of `events`
      not_finite,   ///< the counts are too large, or are no numbers
    };
    Why why = Why::none;              ///< the kind
    std::vector<std::string> events;  ///< MetricEvent::text of each
    std::string text;                 ///< a sentence without a full stop; empty for `none`
  };

  /// Makes an empty set.
  MetricSet(Machine machine, MetricFacts facts);
  ///@{
  /// A moved-from set may only be assigned to or destroyed.
  MetricSet(MetricSet&&) noexcept;
  MetricSet& operator=(MetricSet&&) noexcept;
  ///@}
  ~MetricSet();

  /// Adds the metric, or all metrics of the group, with this name, ignoring case; "all" adds every
  /// metric. Errors: not_found; invalid_argument for a metric that depends on itself; unsupported
  /// if a fact about the machine is unknown.
  [[nodiscard]] Result<void> add(std::string_view name);

  /// Adds the metric of one PMU (MetricInfo::pmu) with this name, ignoring case.
  [[nodiscard]] Result<void> add(std::string_view name, std::string_view pmu);

  /// Adds a metric of your own. Its expression may refer to metrics of the tables, in their case.
  /// Errors: invalid_argument, with Error::offset, for a syntax error, and for a metric that
  /// depends on itself; unsupported if a fact about the machine is unknown.
  [[nodiscard]] Result<void> add_expression(std::string name, std::string_view expr);

  /// Returns the metrics of a group that could not be added, each with the reason. Human-readable.
  std::span<const std::string> warnings() const;

  /// Returns the metrics in the order of add().
  std::span<const MetricInfo> metrics() const;
  /// Returns the events to count, each once, in the order of the metrics that need them.
  std::span<const MetricEvent> events() const;
  /// Returns the events of metrics()[index], as indexes into events().
  std::span<const std::size_t> events_of(std::size_t index) const;

  /// Returns the fewest groups for some of events() that the counters of each PMU allow; see
  /// evname::schedule(). Tool events, which need no counter, and events that do not resolve are in
  /// no group.
  [[nodiscard]] Result<MetricSchedule> schedule(std::span<const std::size_t> events,
                                                const ScheduleOptions& options) const;

  /// Computes the value of each of metrics(). `counts` is parallel to events(); if it is shorter,
  /// the remaining events were not counted. Parses nothing.
  std::vector<Value> evaluate(std::span<const EventCount> counts) const;
  /// Does the same into your own memory, which is parallel to metrics(). Allocates only on a
  /// thread's first call.
  void evaluate(std::span<const EventCount> counts, std::span<Value> values) const;

  /// Returns why metrics()[index] has no value for these counts.
  Gap explain(std::size_t index, std::span<const EventCount> counts) const;

 private:
  friend struct metrics::MetricSteps;
  struct EVNAME_HIDDEN State;
  std::unique_ptr<State> state_;
};

/// The count of an event as perf reported it: in its own unit.
struct CountedEvent : EventCount {
  std::string event;      ///< "cycles:u", "cpu/event=0x3c/"
  std::string pmu;        ///< "uncore_imc_0" for "cas_count_read [uncore_imc_0]"; usually empty
  std::string unit;       ///< unit of `value`: "msec", "MiB"; empty: a number of events
  bool supported = true;  ///< false: perf could not open the event
  ///@{
  /// How long the event was enabled and had a counter, in ns; 0 if the file is no recording.
  std::uint64_t enabled = 0, ran = 0;
  ///@}
};

/// The counts of one interval and one place: a CPU, core, die, socket or thread.
struct CountGroup {
  std::optional<double> time;  ///< seconds since the start; nullopt: the whole run
  std::string place;           ///< "CPU0", "S0-D0", "S0-D0-C1", "sleep-123"; empty: everywhere
  std::vector<CountedEvent> counts;  ///< in the order of the file
  double seconds = 0;                ///< length of the interval, if the file has it; else 0
};

/// Selects how the counts of a `perf stat record` file are added up.
enum class CountsPer : std::uint8_t { recorded, total, cpu, core, die, socket, thread };

/// All counts of a file.
struct Counts {
  std::vector<CountGroup> groups;  ///< by time, then in the order of the file
  bool whole_cores = false;  ///< they cover everything that ran on the cores, not a single task
  std::vector<std::string> warnings;  ///< human-readable

  /// Returns true if there are no counts.
  bool empty() const { return groups.empty(); }
};

/// Parses the output of `perf stat`, `perf stat -x SEPARATOR` or `perf stat --json`. The format is
/// detected, and so is the separator if `separator` is empty. The text's times below the counts
/// become counts of duration_time, user_time and system_time. Errors: invalid_argument if no line
/// has a count.
[[nodiscard]] EVNAME_API Result<Counts> read_counts_text(std::string_view text,
                                                         std::string_view separator = {});

/// Finds the counts of MetricSet::events() in a group. Returns one count per event, in the same
/// order. An event is found by its name (ignoring case, with or without modifiers), else by its
/// encoding; a generic event is also found by the code that the kernel counts it with on the
/// machine's core PMUs, and an event of several PMUs as the sum of its counts on each of them. The
/// boxes of a PMU ("uncore_imc_0/…/", "uncore_imc_1/…/") are added up; a row of the same box is the
/// same count again. A value in a unit of the event ("MiB") is divided by its scale. In any other
/// unit it does not count. duration_time that was not counted is the length of the interval.
EVNAME_API std::vector<EventCount> match_counts(const Machine& machine,
                                                std::span<const MetricEvent> events,
                                                const CountGroup& group);

/// Does the same as match_counts() for many groups, but searches only if a group lists other events
/// than the group before.
class EVNAME_API CountMatcher {
 public:
  /// Copies the events.
  CountMatcher(Machine machine, std::span<const MetricEvent> events);
  ///@{
  /// A moved-from matcher may only be assigned to or destroyed.
  CountMatcher(CountMatcher&&) noexcept;
  CountMatcher& operator=(CountMatcher&&) noexcept;
  ///@}
  ~CountMatcher();

  /// Returns one count per event, in the same order, valid until the next call.
  std::span<const EventCount> match(const CountGroup& group);

  /// Returns human-readable messages about the rows that were left out so far, because their unit
  /// does not fit their event.
  std::span<const std::string> warnings() const;

 private:
  struct EVNAME_HIDDEN State;
  std::unique_ptr<State> state_;
};

}  // namespace evname
