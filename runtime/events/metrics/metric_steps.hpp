#pragma once
// Metrics as steps for programs that have no parser of expressions, such as a page.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "evname/metric.hpp"

namespace evname::metrics {

/// Describes metrics as steps that other programs can compute. A step is words in postfix order:
/// numbers, the caller's words for counts, rN for the result of step N, and the operators | ^ & < >
/// + - * / % min max d_ratio, neg for -x, and if for "x if y else z".
struct MetricSteps {
  std::vector<std::string> steps;       ///< each comes after the steps that it refers to
  std::vector<std::size_t> values;      ///< for each metric, the step that is its value
  std::vector<std::size_t> thresholds;  ///< the step that is not 0 beyond it; SIZE_MAX: none

  /// Returns some of MetricSet::metrics() as steps. `words` is parallel to its events(): the word
  /// that stands for the count of each; empty: it was not counted.
  static MetricSteps of(const MetricSet& set, std::span<const std::size_t> metrics,
                        std::span<const std::string> words);
};

}  // namespace evname::metrics
