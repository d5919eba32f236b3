#pragma once
// Finds the metrics in a machine's tables.

#include <string_view>
#include <vector>

#include "events/machine/machine_state.hpp"
#include "events/tables/model_view.hpp"
#include "evname/metric.hpp"

namespace evname::metrics {

/// A metric and the tables it is in. Cheap to copy.
struct TableMetric {
  tables::ModelView model;
  const tables::Metric* metric = nullptr;
  std::string_view on = {};  ///< the core PMU that this is for, if there are several; else empty

  std::string_view text(tables::Text offset) const { return model.arch().text(offset); }
  std::string_view name() const { return text(metric->name); }
  std::string_view pmu() const { return on.empty() ? text(metric->pmu) : on; }
  expression::Program program() const {
    return program_of(model.arch(), model.arch().programs[metric->expr_program]);
  }
  expression::Program threshold() const {
    return program_of(model.arch(), model.arch().programs[metric->threshold_program]);
  }
};

/// Returns the metrics of the machine's models, of every machine, then of system models that fit
/// one of its PMUs. On a machine with several core PMUs, a metric for any core appears once for
/// each PMU that its model serves.
std::vector<TableMetric> metrics_of(const detail::MachineState& state);

/// Returns the names in a text that separates them by ";".
std::vector<std::string> list_of(std::string_view text);
std::vector<std::string> groups_of(const TableMetric& metric);

MetricInfo info_of(const TableMetric& metric);

/// Returns true if `wanted` is the metric, one of its groups, "all", or "No_group" for one without
/// groups.
bool is_selected(const TableMetric& metric, std::string_view wanted);

}  // namespace evname::metrics
