#pragma once
// Metrics: numbers that are computed from the counts of several events.

#include <array>
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

class PerfData;

/// Whether a metric is there once per chip or core (powerpc); '?' in it is the number of one.
enum class MetricAggregation : std::uint8_t { none, per_chip, per_core };

/// The words of the topic files: "NO_GROUP_EVENTS_NMI", "PerChip"; "" for none.
EVNAME_API const char* to_string(GroupConstraint constraint);
EVNAME_API const char* to_string(MetricAggregation aggregation);

/// One metric that a machine has.
struct MetricInfo {
  std::string name;                 ///< as written
  std::vector<std::string> groups;  ///< that it is in
  std::string desc;                 ///< brief, may be empty
  std::string long_desc;            ///< empty where there is no more to say
  std::string expr;                 ///< as written: events' slashes are @
  std::string simplified;           ///< with constants computed, as perf compiles it in
  std::string threshold;            ///< an expression; empty: there is none
  double scale = 1;                 ///< what the expression's value is multiplied by …
  std::string unit;                 ///< … and is then in: "%", "MB/s"; may be empty
  GroupConstraint constraint = GroupConstraint::none;       ///< on counting its events together
  MetricAggregation aggregation = MetricAggregation::none;  ///< whether it is there several times
  std::vector<std::string> no_group;  ///< groups in which its events are not one group
  std::string default_group;          ///< heading in what `perf stat` shows by itself
  std::string pmu;                    ///< table PMU: "default_core", "cpu_atom", "uncore_imc"
  std::string model;                  ///< whose table has it
};

/// A group of metrics.
struct MetricGroupInfo {
  std::string name;         ///< as metrics name it
  std::string desc;         ///< may be empty
  std::size_t metrics = 0;  ///< how many are in it
};

/// Every metric whose name matches the glob (any case) and that is of the group (any case; empty:
/// of any or none), sorted by name, then PMU.
EVNAME_API std::vector<MetricInfo> list_metrics(const Machine& machine, std::string_view glob = "*",
                                                std::string_view group = {});

/// The groups of the machine's metrics, by name.
EVNAME_API std::vector<MetricGroupInfo> list_metric_groups(const Machine& machine);

/// What expressions call "#smt_on", "#num_cpus", …: facts that events do not tell.
class EVNAME_API MetricFacts {
 public:
  /// What the machine alone tells: of one that is only named, little.
  explicit MetricFacts(const Machine& machine);
  /// Of the machine that these trees show.
  static MetricFacts live(const Machine& machine, const Roots& roots = {});
  /// Of the machine that the recording was made on.
  static MetricFacts recorded(const PerfData& file);

  /// Of all facts.
  static std::span<const std::string_view> names();
  /// NaN: not known.
  double get(std::string_view name) const;
  /// False: there is no such fact. The hash may be left out.
  bool set(std::string_view name, double value);

  /// How many chips, or cores of a chip, there are for metrics with an aggregation; at least 1.
  unsigned instances(MetricAggregation aggregation) const;

 private:
  void read_topology(const std::string& sysfs);

  std::array<double, 10> values_;  ///< in the order of names()
  std::array<unsigned, 3> instances_ = {1, 1, 1};
};

/// An event that a metric needs.
struct MetricEvent {
  std::string text;                 ///< what perf's -e takes: "cpu/event=0x3c/", "INST_RETIRED.ANY"
  std::vector<Encoding> encodings;  ///< empty: `problem` says why
  std::string problem;              ///< why it can't be counted
  bool for_threshold = false;       ///< no metric needs it, only a threshold
  /// duration_time and its like: perf measures these itself.
  bool is_tool() const { return !encodings.empty() && encodings.front().pmu == "tool"; }
};

/// What an event counted: raw and extrapolated to the whole time, without the event's unit;
/// duration_time, user_time and system_time in seconds. NaN: it was not counted.
struct EventCount {
  double value = std::numeric_limits<double>::quiet_NaN();  ///< NaN: not counted
  unsigned sources = 0;  ///< hardware that the value was summed over; 0: all that the machine has
};

/// What a metric is for some counts.
struct MetricValue {
  double value = std::numeric_limits<double>::quiet_NaN();  ///< in MetricInfo::unit
  std::optional<bool> beyond;  ///< the threshold says that the value is remarkable
  bool has_value = false;      ///< false: perf would not print a number either
};

/// How the events of a metric can be counted.
struct MetricSchedule {
  /// What is counted together.
  struct Group {
    std::vector<std::size_t> events;  ///< indexes into MetricSet::events()
    bool together = true;             ///< false: each is to be opened on its own
  };
  std::vector<Group> groups;       ///< in the order of their first event
  std::string why;                 ///< a sentence, if a PMU needs several groups
  std::vector<std::string> notes;  ///< what the answer could not take into account
};

/// Metrics of a machine that are to be computed together.
class EVNAME_API MetricSet {
 public:
  /// An empty set.
  MetricSet(Machine machine, MetricFacts facts);
  ///@{
  /// What was moved from can only be assigned to.
  MetricSet(MetricSet&&) noexcept;
  MetricSet& operator=(MetricSet&&) noexcept;
  ///@}
  ~MetricSet();

  /// Adds the metric, or all of the metric group, of that name (any case); "all": every metric.
  /// Errors: not_found; invalid_argument for metrics that need themselves; unsupported where a fact
  /// of the machine is not known.
  Result<void> add(std::string_view name);

  /// Adds a metric that the tables do not have; its expression may name theirs.
  Result<void> add_expression(std::string name, std::string_view expr);

  /// Those of a group that could not be added, each with the reason. For people.
  std::span<const std::string> warnings() const;

  /// In the order in which they were added.
  std::span<const MetricInfo> metrics() const;
  /// All that has to be counted, each once, in order of first need.
  std::span<const MetricEvent> events() const;
  /// Of metrics()[index]: indexes into events().
  std::span<const std::size_t> events_of(std::size_t index) const;

  /// The fewest groups for some of events() that the counters of each PMU allow; see schedule().
  /// Tool events need no counter and are in none, nor is what does not resolve.
  Result<MetricSchedule> schedule(std::span<const std::size_t> events,
                                  const ScheduleOptions& options) const;

  /// `counts` are parallel to events(); what is missing at their end was not counted. One value for
  /// each metric. Does not parse anything.
  std::vector<MetricValue> evaluate(std::span<const EventCount> counts) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace evname
