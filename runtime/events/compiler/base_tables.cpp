#include "events/compiler/base_tables.hpp"

#include "events/tables/model_view.hpp"

namespace evname::compiler {

std::string BaseTables::place_of(const tables::Model& from) const {
  const std::string name(tables.text(from.name));
  if (from.flags & tables::kOfNoCpu) return name;
  return !model.empty() && name == model ? as : std::string();
}

Entry entry_of(const tables::ArchTables& tables, const tables::PmuEvents& pmu,
               std::uint32_t index) {
  const tables::Event& event = tables.events[tables::event_of(index)];
  Entry entry;
  entry.counters = tables.counters[tables::counters_of(index)];
  entry.name = tables.text(event.name);
  entry.pmu = tables.text(pmu.pmu);
  entry.desc = tables.text(event.desc);
  entry.long_desc = event.long_desc == 0 ? entry.desc : std::string(tables.text(event.long_desc));
  entry.scale_unit = tables.text(event.scale_unit);
  entry.compat = tables.text(event.compat);
  entry.topic = tables.text(event.topic);
  entry.per_pkg = (event.flags & tables::kPerPkg) != 0;
  if (event.latency != 0) entry.latency = tables.latencies[event.latency];
  entry.deprecated = (event.flags & tables::kDeprecated) != 0;
  for (const std::uint32_t at : tables::term_list(tables, event))
    entry.terms.push_back(tables::term_of(tables, tables.terms[at]));
  return entry;
}

Entry entry_of(const tables::ArchTables& tables, const tables::Metric& metric) {
  const auto formula = [&](tables::Text text, std::uint32_t program) -> Formula {
    if (text == 0) return {};
    return {std::string(tables.text(text)), tables::program_of(tables, tables.programs[program])};
  };
  Entry entry;
  entry.pmu = tables.text(metric.pmu);
  entry.desc = tables.text(metric.desc);
  entry.long_desc = metric.long_desc == 0 ? entry.desc : std::string(tables.text(metric.long_desc));
  entry.scale_unit = tables.text(metric.unit);
  entry.compat = tables.text(metric.compat);
  entry.metric.name = tables.text(metric.name);
  entry.metric.group = tables.text(metric.group);
  entry.metric.no_group = tables.text(metric.no_group);
  entry.metric.default_group = tables.text(metric.default_group);
  entry.metric.expr = formula(metric.expr, metric.expr_program);
  entry.metric.threshold = formula(metric.threshold, metric.threshold_program);
  entry.metric.aggregation = metric.aggregation;
  entry.metric.constraint = metric.constraint;
  entry.metric.show_events = metric.show_events;
  return entry;
}

}  // namespace evname::compiler
