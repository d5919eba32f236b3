#pragma once
// Writes metric expressions as text, as the kernel's generator does.

#include <string>

#include "events/expression/program.hpp"

namespace evname::expression {

/// Returns the simplified expression in one spelling: "( a*1 ) / 1000" is "a / 1e3". Takes the
/// steps of perf's metric.py: constants are computed; x + 0, x | 0 and x * 1 are x; x * 0 is 0, but
/// "0 * slots" stays for its event; a constant condition chooses; "x if c else x" is x. The result
/// has the same value, except where x | 0 was 1 for another x, or a dropped part was NaN.
std::string simplified_text(const Program& program);

/// Spells a constant as metric.py does: "0.001", "100", "1e3", "25.6e9", "10e-9".
std::string constant_text(double value);

}  // namespace evname::expression
