#include "events/pmu/builtin.hpp"

#include <algorithm>

#include "base/sorting.hpp"
#include "base/text.hpp"

namespace evname::pmu {
namespace {

constexpr std::string_view kDefaultCore = "default_core";

std::vector<Format> formats_of(const tables::FactRow<tables::PmuFact>& found) {
  std::vector<Format> formats;
  formats.reserve(found.row->field_count);
  for (const tables::FormatField& field :
       found.facts->fields.subspan(found.row->first_field, found.row->field_count))
    formats.push_back(
        {std::string(found.text(field.name)), static_cast<std::uint8_t>(field.word), field.mask});
  return formats;
}

/// Returns the events that the kernel's driver adds to the PMU, sorted by name. Metrics need them
/// also on machines without sysfs.
std::vector<SysfsEvent> kernel_events(const tables::FactQuery& query, tables::FactLayers all) {
  std::vector<SysfsEvent> out;
  for (const tables::CpuFacts& facts : all)
    for (const tables::PmuEventFact& row : facts.event_facts) {
      if (!tables::holds(facts, row.scope, query)) continue;
      out.reserve(out.size() + row.event_count);
      for (const auto& event : facts.pmu_events.subspan(row.first_event, row.event_count)) {
        SysfsEvent& added = out.emplace_back();
        added.name = facts.text(event.name);
        added.terms = facts.text(event.terms);
        added.scale = event.scale;
        added.unit = facts.text(event.unit);
      }
    }
  sort_stably_by(out, &SysfsEvent::name);
  return out;
}

/// Returns the name of the core PMU if the events don't say: the first name of the first core
/// PMU that the CPU may have.
std::string core_name(const tables::FactQuery& query, tables::FactLayers all) {
  const auto found = tables::first_core(all, query);
  if (!found) return "cpu";
  const std::string_view names = found.text(found.row->scope.pmus);
  return std::string(names.substr(0, names.find('|')));
}

/// Adds the PMUs that the model's events name, other than "any core PMU", once each.
void add_units(const tables::ModelView& model, std::vector<std::string>& names) {
  if (!model) return;
  for (const tables::PmuEvents& pmu : model.pmus())
    if (std::string name(model.arch().text(pmu.pmu));
        name != kDefaultCore && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
}

/// Returns true if a PMU without number stands for this one, too: "uncore_cbox" beside
/// "uncore_cbox_0".
bool is_instance_of_another(const std::string& name, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& other) {
    return other != name && matches_ignoring_suffix(name, other);
  });
}

/// Returns the kernel's name for a PMU of event files: the name itself unless the driver uses
/// another.
std::string_view kernel_name(std::string_view unit, tables::FactQuery query,
                             tables::FactLayers all) {
  for (const tables::CpuFacts& facts : all)
    for (const tables::UnitFact& row : facts.units) {
      query.pmu = facts.text(row.scope.pmus);
      if (facts.text(row.unit) == unit && tables::holds(facts, row.scope, query)) return query.pmu;
    }
  return unit;
}

Pmu* find_pmu(std::vector<Pmu>& pmus, std::string_view name) {
  const auto at =
      std::find_if(pmus.begin(), pmus.end(), [&](const Pmu& pmu) { return pmu.name == name; });
  return at == pmus.end() ? nullptr : &*at;
}

/// Returns the PMU of capabilities. HEADER_CPU_PMU_CAPS of older kernels names none and means the
/// core PMU.
Pmu* find_caps_pmu(std::vector<Pmu>& pmus, std::string_view name) {
  if (Pmu* pmu = find_pmu(pmus, name)) return pmu;
  if (!name.empty() && name != "cpu") return nullptr;
  const auto at =
      std::find_if(pmus.begin(), pmus.end(), [](const Pmu& pmu) { return pmu.is_core; });
  return at == pmus.end() ? nullptr : &*at;
}

}  // namespace

tables::FactRow<tables::PmuFact> find_fact(const tables::FactQuery& query,
                                           tables::FactLayers facts) {
  return tables::first_row(facts, &tables::CpuFacts::pmus, query);
}

std::string_view unit_of(const tables::FactQuery& query, tables::FactLayers facts) {
  const auto found = tables::first_row(facts, &tables::CpuFacts::units, query);
  return found ? found.text(found.row->unit) : std::string_view();
}

Pmu describe(const tables::FactQuery& query, tables::FactLayers facts) {
  Pmu pmu;
  pmu.name = query.pmu;
  pmu.unit = unit_of(query, facts);
  const auto found = find_fact(query, facts);
  if (!found) {
    pmu.is_uncore = pmu.name.starts_with("uncore_");
    return pmu;
  }
  pmu.is_core = tables::is_core(found.row->kind);
  pmu.is_uncore = found.row->kind == tables::PmuKind::uncore;
  if (found.row->type != tables::kTypeOfBoot) pmu.type = found.row->type;
  pmu.formats = formats_of(found);
  pmu.events = kernel_events(query, facts);
  return pmu;
}

std::vector<Pmu> builtin_pmus(std::string_view arch, std::string_view cpuid,
                              const tables::ModelView& model, tables::FactLayers facts,
                              std::span<const tables::ModelView> more) {
  tables::FactQuery query{arch, {}, cpuid.empty() ? model.example_cpuid() : cpuid, {}};
  if (model) query.model = model.name();
  std::vector<std::string> units;
  add_units(model, units);
  for (const tables::ModelView& one : more) add_units(one, units);
  std::vector<Pmu> pmus;
  pmus.reserve(units.size() + 8);  // the core PMU, and those that machines have besides
  const auto add = [&](std::string_view pattern) {
    const std::string name = tables::name_of_pattern(pattern).value_or(std::string(pattern));
    query.pmu = name;
    pmus.push_back(describe(query, facts));
    if (name != pattern) pmus.back().instances = pattern;
  };
  for (const std::string& name : units)
    if (!is_instance_of_another(name, units)) add(kernel_name(name, query, facts));
  std::erase_if(pmus, [&](const Pmu& pmu) {
    query.pmu = pmu.name;
    const auto found = find_fact(query, facts);
    return found && found.row->kind == tables::PmuKind::none;
  });
  if (std::none_of(pmus.begin(), pmus.end(), [](const Pmu& pmu) { return pmu.is_core; }))
    add(core_name(query, facts));
  sort_pmus(pmus);
  return pmus;
}

namespace {

/// Adds the PMUs that a row names and that are not known yet. A glob has further instances of the
/// name before it.
void add_possible(std::string_view patterns, tables::FactQuery cpu, tables::FactLayers all,
                  std::vector<std::string>& known, std::vector<Pmu>& pmus) {
  Pmu* last = nullptr;
  for (const std::string_view pattern : split(patterns, '|')) {
    const auto name = tables::name_of_pattern(pattern);
    const bool is_new = name && std::ranges::none_of(known, [&](const std::string& other) {
                          return tables::is_instance(other, pattern);
                        });
    if (name) last = nullptr;
    if (is_new) {
      known.push_back(*name);
      cpu.pmu = *name;
      last = &pmus.emplace_back(describe(cpu, all));
    }
    if (last == nullptr || last->name == pattern) continue;
    last->instances += (last->instances.empty() ? "" : "|") + std::string(pattern);
  }
}

}  // namespace

std::vector<Pmu> possible_pmus(tables::FactQuery cpu, std::vector<std::string> known,
                               tables::FactLayers all) {
  std::vector<Pmu> pmus;
  for (const tables::CpuFacts& facts : all)
    for (const tables::PmuFact& row : facts.pmus) {
      const std::string_view patterns = facts.text(row.scope.pmus);
      const tables::FactScope any_pmu{row.scope.arch, 0, row.scope.cpuids, row.scope.models};
      const bool is_other =
          row.kind == tables::PmuKind::uncore || row.kind == tables::PmuKind::other;
      if (is_other && tables::holds(facts, any_pmu, cpu))
        add_possible(patterns, cpu, all, known, pmus);
    }
  sort_pmus(pmus);
  return pmus;
}

std::vector<Pmu> recorded_pmus(const RecordedPmus& recorded, std::string_view arch,
                               std::string_view cpuid, const tables::ModelView& model,
                               tables::FactLayers facts, std::span<const tables::ModelView> more) {
  std::vector<Pmu> pmus;
  if (recorded.mappings.empty()) {
    pmus = builtin_pmus(arch, cpuid, model, facts, more);
  } else {
    tables::FactQuery query{arch, {}, cpuid.empty() ? model.example_cpuid() : cpuid, {}};
    if (model) query.model = model.name();
    const std::size_t count = std::min(recorded.mappings.size(), kMostPmus);
    for (std::size_t i = 0; i < count; ++i) {
      const auto& [type, name] = recorded.mappings[i];
      query.pmu = name;
      Pmu pmu = describe(query, facts);
      pmu.origin = Origin::recorded;
      pmu.type = type;
      pmus.push_back(std::move(pmu));
    }
  }
  for (const auto& [name, cpus] : recorded.hybrid) {
    Pmu* pmu = find_pmu(pmus, name);
    if (pmu == nullptr) continue;
    pmu->cpus = cpus;
    pmu->is_core = true;  // HEADER_HYBRID_TOPOLOGY lists nothing else
  }
  for (const RecordedPmus::Caps& caps : recorded.caps)
    if (Pmu* pmu = find_caps_pmu(pmus, caps.pmu))
      for (const auto& [name, value] : caps.values) pmu->set_cap(name, value);
  sort_pmus(pmus);
  return pmus;
}

}  // namespace evname::pmu
