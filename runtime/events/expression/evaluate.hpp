#pragma once
// The value of a metric expression, and what has to be known to compute it.

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

/// Finds the symbols that have to be counted; there is an answer for each symbol. `known`
/// holds a number for each symbol, of which those without a count are looked at: parts that they
/// decide are left out, so that "a if #smt_on else b" needs one event. Errors: unsupported if a
/// literal is NaN or a remainder by the constant 0 is taken: the metric has no value then.
Result<std::vector<bool>> needed_symbols(const Program& program, std::span<const double> known);

}  // namespace evname::expression
