#pragma once
// Computes figures next to the counts of perf's default events: instructions per cycle, GHz, miss
// rates.

#include <span>

#include "stat/measurement.hpp"

namespace evname::tools {

/// Sets the figures of rows whose queries each have one of the default events. `seconds` is the
/// time of counting.
void set_figures(std::span<Row> rows, std::span<const Query> queries, double seconds);

}  // namespace evname::tools
