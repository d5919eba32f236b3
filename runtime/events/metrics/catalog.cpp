#include "events/metrics/catalog.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/enum_table.hpp"
#include "base/glob.hpp"
#include "base/regex.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"
#include "events/expression/evaluate.hpp"
#include "events/machine/lookup.hpp"
#include "events/tables/arrays.hpp"
#include "events/tables/registry.hpp"

namespace evname::metrics {
namespace {

void add_model(const tables::ModelView& model, std::vector<TableMetric>& out) {
  for (const std::uint16_t index : tables::metrics_of(model))
    out.push_back({model, &model.arch().metrics[index]});
}

/// Returns the metrics of models in the order of tables (by PMU, "," taken as "_", then name). The
/// first model's metric of a PMU and name counts.
std::vector<TableMetric> metrics_of_models(std::span<const tables::ModelView> models) {
  std::vector<TableMetric> all;
  for (const tables::ModelView& model : models) add_model(model, all);
  if (models.size() < 2) return all;
  const auto key = [](const TableMetric& metric) {
    std::string pmu(metric.pmu());
    std::replace(pmu.begin(), pmu.end(), ',', '_');
    return std::pair(std::move(pmu), metric.name());
  };
  sort_stably_by(all, key);
  const auto repeated = std::ranges::unique(all, {}, key);
  all.erase(repeated.begin(), repeated.end());
  return all;
}

/// The core PMUs that a model serves; none, if the machine has only one.
std::vector<std::string_view> cores_of(const detail::MachineState& state,
                                       const tables::ModelView& model) {
  std::vector<std::string_view> out;
  std::size_t cores = 0;
  for (const machine::BoundPmu& bound : state.pmus) {
    if (!bound.pmu.is_core) continue;
    ++cores;
    const auto is_it = [&](const tables::ModelView& one) { return one.model == model.model; };
    if (std::ranges::any_of(bound.models, is_it) || (model.model->flags & tables::kCommon) != 0)
      out.push_back(bound.pmu.name);
  }
  return cores > 1 ? out : std::vector<std::string_view>();
}

/// Leaves out the metrics of PMUs that the CPU lacks, although other CPUs of its model have them.
void drop_absent_pmus(const detail::MachineState& state, std::vector<TableMetric>& metrics) {
  std::map<std::string_view, bool> absent;
  std::erase_if(metrics, [&](const TableMetric& metric) {
    const auto [at, is_new] = absent.try_emplace(metric.pmu());
    if (is_new) {
      const auto fact = pmu::find_fact(
          {state.cpu.arch, metric.pmu(), state.cpu.cpuid, state.cpu.model}, state.facts);
      at->second = fact && fact.row->kind == tables::PmuKind::none;
    }
    return at->second;
  });
}

void add_for_cores(const detail::MachineState& state, std::span<const tables::ModelView> models,
                   std::vector<TableMetric>& out) {
  const auto cores = cores_of(state, models.front());
  std::vector<TableMetric> all = metrics_of_models(models);
  drop_absent_pmus(state, all);
  for (TableMetric& metric : all) {
    const bool any_core = metric.pmu() == "default_core" && !cores.empty();
    if (!any_core) out.push_back(metric);
    for (const std::string_view core : any_core ? cores : std::vector<std::string_view>())
      out.push_back({metric.model, metric.metric, core});
  }
}

bool fits_a_pmu(const detail::MachineState& state, std::string_view compat) {
  const auto compiled = Regex::compile(compat);
  if (!compiled) return false;
  return std::ranges::any_of(state.pmus, [&](const machine::BoundPmu& bound) {
    const auto match = compiled->search(bound.pmu.identifier);
    return !bound.pmu.identifier.empty() && match && match->offset == 0 &&
           match->size == bound.pmu.identifier.size();
  });
}

/// System models are chosen by Compat, not by CPUID.
void add_system(const detail::MachineState& state, std::vector<TableMetric>& out) {
  const auto arch = tables::find_architecture(state.cpu.arch);
  if (!arch) return;
  for (const tables::Model& model : arch->models) {
    if (!(model.flags & tables::kSystem)) continue;
    std::vector<TableMetric> all;
    add_model({*arch, &model}, all);
    for (const TableMetric& one : all)
      if (one.metric->compat != 0 && fits_a_pmu(state, one.text(one.metric->compat)))
        out.push_back(one);
  }
}

/// Returns the description of a metric's group; tables read at run time come first.
std::string_view description_of(const detail::MachineState& state, const TableMetric& metric,
                                std::string_view group) {
  std::vector<const tables::ArchTables*> arches;
  for (const auto& read : state.overlay) arches.push_back(&read->view());
  arches.push_back(&metric.model.arch());
  for (const tables::ArchTables* const arch : arches)
    for (const tables::MetricGroup& known : arch->metric_groups)
      if (arch->text(known.name) == group) return arch->text(known.desc);
  return {};
}

}  // namespace

std::vector<TableMetric> metrics_of(const detail::MachineState& state) {
  std::vector<TableMetric> out;
  std::set<const tables::Model*> models;
  const auto add_once = [&](std::span<const tables::ModelView> layers) {
    if (!layers.empty() && models.insert(layers.front().model).second)
      add_for_cores(state, layers, out);
  };
  add_once(state.models);
  for (const machine::BoundPmu& bound : state.pmus) add_once(bound.models);
  if (const auto common = tables::find_architecture(tables::kCommonName))
    for (const tables::Model& model : common->models)
      add_once(std::vector{tables::ModelView(*common, &model)});
  add_system(state, out);
  return out;
}

std::vector<std::string> list_of(std::string_view text) {
  std::vector<std::string> out;
  for (const std::string_view piece : split(text, ';'))
    if (const std::string_view name = trim(piece); !name.empty()) out.emplace_back(name);
  return out;
}

std::vector<std::string> groups_of(const TableMetric& metric) {
  return list_of(metric.text(metric.metric->group));
}

MetricInfo info_of(const TableMetric& from) {
  const tables::Metric& metric = *from.metric;
  MetricInfo info;
  info.name = from.name();
  info.groups = groups_of(from);
  info.desc = from.text(metric.desc);
  info.long_desc = from.text(metric.long_desc);
  info.expr = from.text(metric.expr);
  info.simplified = simplified_text(from.program());
  info.threshold = from.text(metric.threshold);
  machine::ScaleUnit unit = machine::parse_scale_unit(from.text(metric.unit));
  info.scale = unit.scale;
  info.unit = unit.unit;
  constexpr auto kLast = static_cast<int>(GroupConstraint::no_threshold_and_nmi);
  info.constraint = static_cast<GroupConstraint>(std::min<int>(metric.constraint, kLast));
  info.shows_events = metric.show_events != 0;
  info.aggregation = static_cast<MetricInfo::Aggregation>(std::min<int>(metric.aggregation, 2));
  info.no_group = list_of(from.text(metric.no_group));
  info.default_group = from.text(metric.default_group);
  info.pmu = from.pmu();
  info.model = from.model.name();
  return info;
}

bool is_selected(const TableMetric& metric, std::string_view wanted) {
  if (wanted == "all") return true;
  const std::string_view groups = metric.text(metric.metric->group);
  const auto is_wanted = [&](std::string_view name) {
    return equal_ignoring_case(trim(name), wanted);
  };
  if (trim(groups).empty() && is_wanted("No_group")) return true;
  return std::ranges::any_of(split(groups, ';'), is_wanted) || is_wanted(metric.name()) ||
         std::ranges::any_of(split(metric.name(), ';'), is_wanted);
}

}  // namespace evname::metrics

namespace evname {

const char* to_string(GroupConstraint constraint) {
  using enum GroupConstraint;
  constexpr auto kWords =
      enum_values<GroupConstraint>({{none, ""},
                                    {no_group_events, "NO_GROUP_EVENTS"},
                                    {no_group_events_nmi, "NO_GROUP_EVENTS_NMI"},
                                    {no_group_events_smt, "NO_GROUP_EVENTS_SMT"},
                                    {no_threshold_and_nmi, "NO_THRESHOLD_AND_NMI"}});
  return word_of(kWords, constraint);
}

const char* to_string(MetricInfo::Aggregation aggregation) {
  using enum MetricInfo::Aggregation;
  constexpr auto kWords = enum_values<MetricInfo::Aggregation>(
      {{none, ""}, {per_chip, "PerChip"}, {per_core, "PerCore"}});
  return word_of(kWords, aggregation);
}

std::vector<MetricInfo> list_metrics(const Machine& machine, std::string_view glob,
                                     std::string_view group) {
  std::vector<MetricInfo> out;
  const Glob pattern(to_lower(glob));
  for (const metrics::TableMetric& metric : metrics::metrics_of(detail::state_of(machine))) {
    if (!pattern.matches(to_lower(metric.name()))) continue;
    MetricInfo info = metrics::info_of(metric);
    const auto is_group = [&](std::string_view name) { return equal_ignoring_case(name, group); };
    if (group.empty() || std::ranges::any_of(info.groups, is_group)) out.push_back(std::move(info));
  }
  sort_stably(out, [](const MetricInfo& a, const MetricInfo& b) {
    return std::tie(a.name, a.pmu) < std::tie(b.name, b.pmu);
  });
  return out;
}

std::vector<MetricInfo::Group> list_metric_groups(const Machine& machine) {
  std::map<std::string, MetricInfo::Group> groups;
  const detail::MachineState& state = detail::state_of(machine);
  for (const metrics::TableMetric& metric : metrics::metrics_of(state))
    for (const std::string& name : metrics::groups_of(metric)) {
      MetricInfo::Group& group = groups[name];
      group.name = name;
      ++group.metrics;
      if (group.desc.empty()) group.desc = metrics::description_of(state, metric, name);
    }
  std::vector<MetricInfo::Group> out;
  for (auto& [name, group] : groups) out.push_back(std::move(group));
  return out;
}

}  // namespace evname
