#pragma once
// Writes counts as text: as perf stat does for people, as CSV (-x) and JSON, and for Prometheus.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stat/measurement.hpp"
#include "stat/metric_rows.hpp"
#include "stat/options.hpp"

namespace evname::tools {

/// The metrics of one part and cgroup.
struct PartMetrics {
  std::string part, cgroup;
  std::size_t counters = 0;  ///< of its first event
  std::vector<MetricRow> rows;
};

/// The unit of output: a whole run, or an interval.
struct StatReport {
  std::optional<double> time;  ///< seconds since the start, of an interval
  bool is_summary = false;     ///< of the whole run, after its intervals
  std::vector<Row> rows;
  std::vector<PartMetrics> metrics;  ///< in the order of the parts
};

std::string rows_text(const StatReport& report, const StatOptions& options);

/// The line above the first interval; with --metric-only, the one above the rows.
std::string interval_heading(const StatOptions& options,
                             std::span<const MetricInfo* const> metrics);
/// The names of metrics above the rows of --metric-only that are not intervals; else "".
std::string columns_heading(const StatOptions& options, std::span<const MetricInfo* const> metrics);

/// perf's text before and after the counts of a run. `noise` and `runs`, the times of each run of
/// -r, are in seconds.
std::string run_heading(const StatOptions& options);
std::string run_footing(const StatOptions& options, const RunTimes& times, double noise,
                        std::span<const double> runs = {});

/// A snapshot of the counts since the start: one counter for each unit, with labels for event, PMU,
/// code, place and cgroup. HELP and TYPE come before the samples of each.
std::string openmetrics_text(std::span<const Row> rows, Per per, double elapsed);

}  // namespace evname::tools
