#pragma once
// The value of a metric expression.

#include <optional>
#include <span>

#include "events/expression/program.hpp"

namespace evname::expression {

/// `values` holds one number for each symbol, in their order: counts as perf has them (scaled,
/// duration_time in seconds; NaN for an event that was not counted). Neither parses nor allocates.
/// NaN where perf computes NaN (x / 0); nullopt where it gives up: a remainder by zero, a literal
/// without a value.
std::optional<double> evaluate(Code code, std::span<const double> values);

}  // namespace evname::expression
