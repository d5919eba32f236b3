#pragma once
// Metric expressions as text, as the kernel's generator has them in its tables.

#include <string>

#include "events/expression/program.hpp"

namespace evname::expression {

/// Returns the expression without the parts that are decided beforehand, in one spelling: "( a*1 )
/// / 1000" is "a / 1e3". Takes the steps of perf's metric.py: constants are computed; x + 0, x | 0
/// and x * 1 are x; x * 0 is 0, but "0 * slots" stays, which is there for the event; a condition
/// that is a constant chooses; "x if c else x" is x. Computes to the same number but where x | 0
/// was 1 for an x that is not, and where NaN is in what was dropped.
std::string simplified_text(const Program& program);

/// Spells a constant as metric.py does: "0.001", "100", "1e3", "25.6e9", "10e-9".
std::string constant_text(double value);

}  // namespace evname::expression
