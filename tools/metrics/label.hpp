#pragma once
// The name of a metric beside others.

#include <string>

#include "evname/metric.hpp"

namespace evname::tools {

/// Returns the name of a metric, with its PMU if another metric of the set has the name:
/// "ipc (cpu_core)".
std::string metric_label(const MetricSet& set, std::size_t metric);

}  // namespace evname::tools
