#pragma once
// Explains why a metric has no value.

#include <cstddef>
#include <functional>
#include <span>

#include "events/metrics/binder.hpp"
#include "evname/metric.hpp"

namespace evname::metrics {

/// Returns why a formula has no value. `results` are the results of all formulas; `value_of`
/// returns the value of an input.
MetricGap explain(const Formulas& formulas, std::size_t formula, const Results& results,
                  const std::function<double(const Input&)>& value_of);

/// Returns that these events were not counted, and why; there is at least one.
MetricGap not_counted(std::span<const MetricEvent* const> events);

}  // namespace evname::metrics
