#pragma once
// Computes metric expressions, and finds the counts that they need.

#include <optional>
#include <span>
#include <vector>

#include "events/expression/program.hpp"
#include "evname/error.hpp"

namespace evname::expression {

/// Computes an expression. `values` holds one number for each symbol, in their order: counts as
/// perf has them (scaled, duration_time in seconds; NaN for an event that was not counted). Neither
/// parses nor allocates. Returns NaN if perf computes NaN (x / 0), nullopt if it gives up: a
/// remainder by zero, a literal without a value.
std::optional<double> evaluate(Code code, std::span<const double> values);

/// Returns for each symbol whether it must be counted. `known` holds a number for each symbol; the
/// numbers of symbols without a count may decide parts of the expression, so that "a if #smt_on
/// else b" needs one event. Errors: unsupported if a literal is NaN or a remainder by the constant
/// 0 is taken: the metric has no value then.
Result<std::vector<bool>> needed_symbols(const Program& program, std::span<const double> known);

}  // namespace evname::expression
