#pragma once
// The reason why a metric has no value.

#include <cstddef>
#include <functional>

#include "events/metrics/binder.hpp"
#include "evname/metric.hpp"

namespace evname::metrics {

/// Returns why a formula has no value. `results` are those of all formulas; `value_of` returns the
/// value of an input.
MetricGap explain(const Formulas& formulas, std::size_t formula, const Results& results,
                  const std::function<double(const Input&)>& value_of);

}  // namespace evname::metrics
