#pragma once
// How metrics are printed.

#include <span>

#include "evname/counts.hpp"
#include "evname/metric.hpp"

namespace evname::tools {

void print_metrics(std::span<const MetricInfo> metrics, bool json);
void print_group(const MetricGroupInfo& group, bool json);

/// Everything but what they need.
void print_infos(std::span<const MetricInfo> metrics, bool json);

/// Everything about the metrics of a set: what they need, and the groups that the counters can
/// count. False: an event is not known.
bool print_set(const MetricSet& set, ScheduleOptions options, bool json);

/// One value; `missing` are the events that it lacks.
void print_value(const MetricInfo& metric, const MetricValue& value, const CountGroup& from,
                 std::span<const std::string> missing, bool json);

/// The texts of the events of a metric that have no count.
std::vector<std::string> missing_events(const MetricSet& set, std::size_t metric,
                                        std::span<const EventCount> counts);

}  // namespace evname::tools
