#pragma once
// Metrics that are named by their own expressions, directly or through others.

#include <cstddef>
#include <span>
#include <vector>

namespace evname::compiler {

/// A metric that needs itself, and the last one on the way back to it.
struct MetricCircle {
  std::size_t metric, by_way_of;
};

/// Returns each circle at least once. `needs` has, for each metric, those that its expression
/// names.
std::vector<MetricCircle> find_circles(std::span<const std::vector<std::size_t>> needs);

}  // namespace evname::compiler
