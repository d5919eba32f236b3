#pragma once
// How metrics are printed.

#include <span>
#include <string>
#include <vector>

#include "evname/metric.hpp"

namespace evname::tools {

/// " (cpu_atom)"; empty for the only core PMU and for the kernel's software events.
std::string of_pmu(const MetricInfo& metric);

void print_metrics(std::span<const MetricInfo> metrics, bool json);
void print_group(const MetricInfo::Group& group, bool json);

/// Everything except the events.
void print_infos(std::span<const MetricInfo> metrics, bool json);

/// Everything about the metrics of a set: events, and the groups that the counters can count.
/// False: an event is unknown.
bool print_set(const MetricSet& set, ScheduleOptions options, bool json);

/// The reason why a metric has no value, and the events without a count.
struct Lack {
  std::vector<std::string> missing;
  std::string why;  ///< "": it has a value
};

/// `counts` come from `from`, one for each event of the set.
Lack lack_of(const MetricSet& set, std::size_t metric, std::span<const EventCount> counts,
             const MetricSet::Value& value, const CountGroup& from);

/// One value, as a line.
std::string value_line(const MetricInfo& metric, const MetricSet::Value& value,
                       const CountGroup& from, const Lack& lack, bool json);
void print_value(const MetricInfo& metric, const MetricSet::Value& value, const CountGroup& from,
                 const Lack& lack, bool json);

}  // namespace evname::tools
