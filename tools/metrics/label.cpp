#include "metrics/label.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace evname::tools {

std::string metric_label(const MetricSet& set, std::size_t metric) {
  const MetricInfo& info = set.metrics()[metric];
  return std::ranges::count(set.metrics(), info.name, &MetricInfo::name) > 1
             ? fmt::format("{} ({})", info.name, info.pmu)
             : info.name;
}

}  // namespace evname::tools
