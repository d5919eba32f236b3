#pragma once
// Finds the events for metrics of `evname stat -M`, and computes their values.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evname/metric.hpp"
#include "metrics/output.hpp"
#include "stat/measurement.hpp"

namespace evname::tools {

/// The times of the tool events, in seconds.
struct RunTimes {
  double elapsed = 0, user = 0, system = 0;

  /// Returns one of them; NaN for none.
  double of(ToolTime time) const;
};

/// Adds the metrics that options imply: a level of the top-down tree, or perf's default. Returns
/// false after reporting that there is no such level.
bool add_meant_metrics(const Machine& machine, StatOptions& options);

/// A metric of a part, and the value.
struct MetricRow {
  const MetricInfo* metric = nullptr;
  MetricSet::Value value;
  Lack lack;
  bool is_whole() const { return !value.gives_up && lack.missing.empty(); }
};

class MetricRows {
 public:
  /// Returns nullopt after reporting why none of the metrics can be computed.
  static std::optional<MetricRows> plan(const Machine& machine, const StatOptions& options);

  /// The metrics in the order of values().
  std::vector<const MetricInfo*> metrics() const;

  /// The events to count: weak groups for each metric, as few as its counters allow. Metrics that
  /// share events are one group if it fits on the counters and no constraint forbids it.
  std::vector<std::string> queries() const;

  /// From the rows of one part; rows of queries()[0] have Row::query `first`.
  std::vector<MetricRow> values(std::span<const Row> rows, std::size_t first,
                                const RunTimes& times) const;

 private:
  /// Events that are counted together.
  struct Group {
    std::vector<std::size_t> events;   ///< indexes into set_.events()
    std::vector<std::size_t> metrics;  ///< indexes into set_.metrics()
    bool together = true;
  };

  MetricRows(MetricSet set, ScheduleOptions options) : set_(std::move(set)), options_(options) {}
  void add_metric(std::size_t metric, bool together);
  bool may_join(const Group& group, std::span<const std::size_t> events) const;
  EventCount count_of(const MetricEvent& event, std::span<const Row> rows, std::size_t query,
                      const RunTimes& times) const;

  MetricSet set_;
  ScheduleOptions options_;
  std::vector<Group> groups_;
};

}  // namespace evname::tools
