#pragma once
// What reports are shown as.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evname/metric.hpp"
#include "evname/report.hpp"
#include "report/table.hpp"

namespace evname::tools {

std::vector<std::string> names_of(const std::vector<SortKey>& keys);

/// Where `event` is one of several keys, its place; the rows of an event are a block then.
std::size_t event_block_key(const std::vector<SortKey>& keys);

// The tables refer to what they are made of.

Table table_of(const std::vector<ReportRow>& rows, const std::vector<SortKey>& keys);
Table table_of(const std::vector<ReportChange>& changes, const std::vector<SortKey>& keys);

/// Metrics of the samples that are equal in `keys`, which `event` is none of.
struct SampledMetrics {
  struct Row {
    std::vector<std::string> keys;
    std::vector<SampleSums> events;  ///< parallel to `events` below
  };
  MetricSet set;
  std::vector<std::string> events;  ///< of the recording, that metrics need
  /// Parallel to set.events(): which of `events` counts it; SIZE_MAX: none.
  std::vector<std::size_t> counted_by;
  std::vector<Row> rows;
  bool is_part = false;  ///< others were asked for: unknown, or their events were not recorded

  /// The values of a metric for rows together, and the number of samples of the event that has
  /// fewest.
  struct Value {
    MetricValue value;
    std::uint64_t samples = 0;
  };
  Value value(std::size_t metric, Rows rows) const;
};

/// `rows` are by `event` and then by `keys`. nullopt: it told why there is none.
std::optional<SampledMetrics> sampled_metrics(const Report& report, const PerfData& file,
                                              const std::vector<std::string_view>& names);

Table table_of(const SampledMetrics& metrics, const std::vector<SortKey>& keys);

}  // namespace evname::tools
