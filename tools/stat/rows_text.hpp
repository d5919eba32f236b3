#pragma once
// Counts as text: as perf stat writes them for people, as CSV (-x) and as JSON, and for Prometheus.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stat/measurement.hpp"
#include "stat/metric_rows.hpp"
#include "stat/options.hpp"

namespace evname::tools {

/// What is shown at once: a whole run, or an interval.
struct StatReport {
  std::optional<double> time;  ///< seconds since the start, of an interval
  std::vector<Row> rows;
  /// Of each part, in the order of the parts.
  std::vector<std::pair<std::string, std::vector<MetricRow>>> metrics;
};

std::string rows_text(const StatReport& report, const StatOptions& options);

/// The line above the first interval.
std::string interval_heading(const StatOptions& options);

/// What perf writes before and after the counts of a run, for people. `noise` is in seconds.
std::string run_heading(const StatOptions& options);
std::string run_footing(const StatOptions& options, const RunTimes& times, double noise);

/// What was counted since the start, as a snapshot: one counter for each unit, with labels for
/// event, PMU, code, place and cgroup. HELP and TYPE come before the samples of each.
std::string openmetrics_text(std::span<const Row> rows, Per per, double elapsed);

}  // namespace evname::tools
