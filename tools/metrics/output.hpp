#pragma once
// How metrics are printed.

#include <span>
#include <string>
#include <vector>

#include "evname/metric.hpp"

namespace evname::tools {

/// " (cpu_atom)"; nothing for the only core PMU and for what the kernel counts without one.
std::string of_pmu(const MetricInfo& metric);

void print_metrics(std::span<const MetricInfo> metrics, bool json);
void print_group(const MetricGroupInfo& group, bool json);

/// Everything but what they need.
void print_infos(std::span<const MetricInfo> metrics, bool json);

/// Everything about the metrics of a set: what they need, and the groups that the counters can
/// count. False: an event is not known.
bool print_set(const MetricSet& set, ScheduleOptions options, bool json);

/// Why a metric has no value, for people; and the events that have no count.
struct Lack {
  std::vector<std::string> missing;
  std::string why;  ///< "": it has a value
};

/// `counts` are those of `from`, one for each event of the set.
Lack lack_of(const MetricSet& set, std::size_t metric, std::span<const EventCount> counts,
             const MetricValue& value, const CountGroup& from);

/// One value, as a line.
std::string value_line(const MetricInfo& metric, const MetricValue& value, const CountGroup& from,
                       const Lack& lack, bool json);
void print_value(const MetricInfo& metric, const MetricValue& value, const CountGroup& from,
                 const Lack& lack, bool json);

}  // namespace evname::tools
