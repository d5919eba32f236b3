#pragma once
// The metrics of `evname stat -M`: what to count for them, and their values.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evname/metric.hpp"
#include "stat/counter.hpp"

namespace evname::tools {

/// One event that `evname stat` counts.
struct Row {
  Encoding encoding;
  std::optional<Counter> counter;
  std::string problem;    ///< why there is no counter
  std::size_t query = 0;  ///< which of the event texts it is of
};

/// What the tool events count, in seconds.
struct RunTimes {
  double elapsed = 0, user = 0, system = 0;
};

class MetricRows {
 public:
  /// nullopt: none of the metrics can be computed; it told why not.
  static std::optional<MetricRows> plan(const Machine& machine, std::span<const std::string> names,
                                        std::span<const std::string> expressions);

  /// What to count: weak groups for each metric, as few as its counters allow, but for those that
  /// are part of another one's or whose constraint forbids it.
  std::vector<std::string> queries() const;

  /// The rows of queries()[0] have Row::query `first`. False: a metric has no value.
  bool print(std::span<const Row> rows, std::size_t first, const RunTimes& times, bool json) const;

 private:
  /// Events that are counted together.
  struct Group {
    std::vector<std::size_t> events;   ///< indexes into set_.events()
    std::vector<std::size_t> metrics;  ///< indexes into set_.metrics()
    bool together = true;
  };

  MetricRows(MetricSet set, ScheduleOptions options) : set_(std::move(set)), options_(options) {}
  void add_metric(std::size_t metric, bool together);
  EventCount count_of(const MetricEvent& event, std::span<const Row> rows, std::size_t query,
                      const RunTimes& times) const;

  MetricSet set_;
  ScheduleOptions options_;
  std::vector<Group> groups_;
};

}  // namespace evname::tools
