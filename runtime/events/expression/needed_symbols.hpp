#pragma once
// Which events have to be counted to compute a metric on a machine.

#include <span>
#include <vector>

#include "events/expression/program.hpp"
#include "evname/error.hpp"

namespace evname::expression {

/// One answer for each symbol; only those that come with a count can be needed. `known`
/// holds a number for each symbol, of which those of the other kinds are looked at: what they
/// decide is left out, so that "a if #smt_on else b" needs one event. Errors: unsupported where a
/// literal is NaN or a remainder by the constant 0 is taken: the metric has no value then.
Result<std::vector<bool>> needed_symbols(const Program& program, std::span<const double> known);

}  // namespace evname::expression
