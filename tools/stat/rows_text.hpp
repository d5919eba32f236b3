#pragma once
// Counts as perf stat writes them: for people, as CSV (-x) and as JSON.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stat/measurement.hpp"
#include "stat/metric_rows.hpp"
#include "stat/options.hpp"

namespace evname::tools {

/// What is shown at once: a whole run, or an interval.
struct Report {
  std::optional<double> time;  ///< seconds since the start, of an interval
  std::vector<Row> rows;
  /// Of each part, in the order of the parts.
  std::vector<std::pair<std::string, std::vector<MetricRow>>> metrics;
};

std::string rows_text(const Report& report, const StatOptions& options);

/// The line above the first interval.
std::string interval_heading(const StatOptions& options);

/// What perf writes before and after the counts of a run, for people. `noise` is in seconds.
std::string run_heading(const StatOptions& options);
std::string run_footing(const StatOptions& options, const RunTimes& times, double noise);

}  // namespace evname::tools
