#pragma once
// Computes metric expressions, finds the counts that they need, and writes them as text.

#include <optional>
#include <span>
#include <string>
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

/// Returns the simplified expression in one spelling: "( a*1 ) / 1000" is "a / 1e3". Takes the
/// steps of perf's metric.py: constants are computed; x + 0, x | 0 and x * 1 are x; x * 0 is 0, but
/// "0 * slots" stays for its event; a constant condition chooses; "x if c else x" is x. The result
/// has the same value, except where x | 0 was 1 for another x, or a dropped part was NaN.
std::string simplified_text(const Program& program);

/// Spells a constant as metric.py does: "0.001", "100", "1e3", "25.6e9", "10e-9".
std::string constant_text(double value);

}  // namespace evname::expression
