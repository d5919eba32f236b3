#pragma once
// Finds metrics whose expressions name themselves, directly or through others.

#include <cstddef>
#include <span>
#include <vector>

namespace evname::compiler {

/// A metric that depends on itself, and the last metric of the cycle.
struct MetricCircle {
  std::size_t metric, by_way_of;
};

/// Returns each cycle at least once. `needs` has, for each metric, the metrics in its expression.
std::vector<MetricCircle> find_circles(std::span<const std::vector<std::size_t>> needs);

}  // namespace evname::compiler
