#include <algorithm>
#include <map>
#include <string>

#include "base/regex.hpp"
#include "events/machine/code_index.hpp"
#include "events/machine/kernel_events.hpp"
#include "events/machine/machine_state.hpp"
#include "events/pmu/builtin.hpp"
#include "events/tables/arrays.hpp"
#include "events/tables/registry.hpp"

namespace evname::machine {
namespace {

/// Returns true if the extended regular expression matches the whole text (perf:
/// pmu_uncore_identifier_match).
bool matches_fully(const std::string& expression, const std::string& text) {
  const auto compiled = Regex::compile(expression);
  const auto match = compiled ? compiled->search(text) : std::nullopt;
  return match && match->offset == 0 && match->size == text.size();
}

/// Returns true if earlier tables have the event in the model of that name.
bool has_event(const std::vector<OtherEvent>& events, const tables::ModelView& model,
               const tables::PmuEvents& list, const tables::Event& event) {
  const tables::ArchTables& arch = model.arch();
  if (events.empty() || &events.front().model.arch() == &arch) return false;
  return std::ranges::any_of(events, [&](const OtherEvent& other) {
    const tables::ArchTables& before = other.model.arch();
    return &before != &arch && other.model.name() == model.name() &&
           before.text(other.list->pmu) == arch.text(list.pmu) &&
           before.text(other.event->name) == arch.text(event.name);
  });
}

void bind_system_tables(const tables::ArchTables& arch, BoundPmu* bound) {
  if (bound->pmu.identifier.empty() || !bound->pmu.is_uncore) return;
  std::map<tables::Text, bool> known;  // a table repeats the same few texts for each event
  const auto fits = [&](tables::Text compat) {
    if (compat == 0) return false;
    const auto [at, is_new] = known.try_emplace(compat, false);
    if (is_new) at->second = matches_fully(std::string(arch.text(compat)), bound->pmu.identifier);
    return at->second;
  };
  for (const tables::Model& model : arch.models) {
    if ((model.flags & tables::kSystem) == 0) continue;
    const tables::ModelView view{arch, &model};
    for (const tables::PmuEvents& list : view.pmus()) {
      if (!pmu::serves(arch.text(list.pmu), bound->pmu)) continue;
      for (std::size_t i = 0; i < list.count; ++i)
        if (const tables::Event& event = view.event(list, i);
            fits(arch.traits_of(event).compat) && !has_event(bound->system, view, list, event))
          bound->system.push_back({view, &list, &event});
    }
  }
}

/// Topics of standard events that are part of the architecture. The others are only
/// recommendations, and may mean something else on a CPU that does not list them.
struct CommonTopic {
  std::string_view arch, topic;
};
constexpr CommonTopic kCommonTopics[] = {
    {"arm64", "common and microarch"},  // Arm ARM, common architectural and microarchitectural
    {"riscv", "riscv sbi firmware"},    // SBI specification, PMU extension
};

bool is_common(const tables::ArchTables& arch, const tables::Event& event) {
  for (const CommonTopic& row : kCommonTopics)
    if (row.arch == arch.arch && row.topic == arch.text(arch.traits_of(event).topic)) return true;
  return false;
}

bool has_event(const std::vector<tables::ModelView>& models, std::string_view name) {
  bool found = false;
  for (const tables::ModelView& model : models)
    tables::find_event(model, name, [&](tables::EventHit) { found = true; });
  return found;
}

/// Returns true if the PMU is a core PMU that lacks the architecture's common events.
bool is_maker_core(const pmu::Pmu& pmu, const detail::MachineState& state) {
  if (!pmu.is_core) return false;
  const auto fact =
      pmu::find_fact({state.cpu.arch, pmu.name, state.cpu.cpuid, state.cpu.model}, state.facts);
  return fact && fact.row->kind == tables::PmuKind::maker_core;
}

void bind_common_events(const tables::ArchTables& arch, BoundPmu* bound) {
  const auto is_standard = [](const tables::ModelView& model) {
    return (model.model->flags & tables::kStandard) != 0;
  };
  if (!bound->pmu.is_core || std::ranges::any_of(bound->models, is_standard)) return;
  for (const tables::Model& model : arch.models) {
    if ((model.flags & tables::kStandard) == 0) continue;
    const tables::ModelView view{arch, &model};
    for (const tables::PmuEvents& list : view.pmus())
      for (std::size_t i = 0; i < list.count; ++i)
        if (const tables::Event& event = view.event(list, i);
            is_common(arch, event) && !has_event(bound->models, arch.text(event.name)) &&
            !has_event(bound->common, view, list, event))
          bound->common.push_back({view, &list, &event});
  }
}

std::vector<tables::ModelView> models_of(const pmu::Pmu& pmu, const detail::MachineState& state) {
  const auto only = [](const tables::ModelView& model) {
    return model ? std::vector{model} : std::vector<tables::ModelView>();
  };
  const bool own = !pmu.cpuid.empty() && pmu.cpuid != state.cpu.cpuid;
  if (state.match.matched_by == MatchedBy::name) return state.models;
  if (!own && pmu.is_core && state.match.matched_by == MatchedBy::caps) {
    const auto named =
        cpu::match_model(state.cpu.arch, "", pmu.name);  // each kind of core has its own
    if (named.matched_by == MatchedBy::caps) return only(named.model);
  }
  if (!own) return state.models;
  const std::string* name = pmu.find_cap("pmu_name");
  return only(cpu::match_model(state.cpu.arch, pmu.cpuid, name == nullptr ? "" : *name).model);
}

}  // namespace

std::vector<const tables::ArchTables*> architectures_of(const detail::MachineState& state) {
  std::vector<const tables::ArchTables*> out;
  for (const auto& read : state.overlay) out.push_back(&read->view());
  if (out.empty() && state.match.model) return {&state.match.model.arch()};
  if (const auto* const built_in = tables::find_architecture(state.cpu.arch))
    out.push_back(built_in);
  return out;
}

std::vector<BoundPmu> possible_pmus(const detail::MachineState& state) {
  std::vector<BoundPmu> out;
  std::vector<std::string> known;
  for (const BoundPmu& bound : state.pmus) {
    known.push_back(bound.pmu.name);
    if (!bound.pmu.is_implied && bound.pmu.origin != pmu::Origin::builtin) return out;
  }
  const tables::FactQuery cpu{state.cpu.arch, {}, state.cpu.cpuid, state.cpu.model};
  for (pmu::Pmu& pmu : pmu::possible_pmus(cpu, known, state.facts))
    out.emplace_back().pmu = std::move(pmu);
  return out;
}

void bind_pmus(std::vector<pmu::Pmu> pmus, detail::MachineState* state) {
  const auto architectures = architectures_of(*state);
  add_implied_pmus(state->cpu.arch, pmus);
  const auto cores =
      std::count_if(pmus.begin(), pmus.end(), [](const pmu::Pmu& pmu) { return pmu.is_core; });
  state->pmus.reserve(pmus.size());
  for (pmu::Pmu& pmu : pmus) {
    BoundPmu bound;
    bound.models = models_of(pmu, *state);
    bound.pmu = std::move(pmu);
    if (bound.pmu.origin != pmu::Origin::builtin)  // these have their own descriptions
      bound.pmu.unit = pmu::unit_of(
          {state->cpu.arch, bound.pmu.name, state->cpu.cpuid, state->cpu.model}, state->facts);
    if (const auto cleared = tables::first_row(
            tables::FactLayers(state->facts), &tables::CpuFacts::cleared_facts,
            {state->cpu.arch, bound.pmu.name, state->cpu.cpuid, state->cpu.model}))
      bound.pmu.cleared_bits = cleared.row->bits;
    bound.is_extended = cores > 1 && bound.pmu.is_core;
    const bool has_common = !is_maker_core(bound.pmu, *state);
    if (!has_common)
      std::erase_if(bound.models, [](const tables::ModelView& model) {
        return (model.model->flags & tables::kStandard) != 0;
      });
    for (const tables::ModelView& model : bound.models)
      for (const tables::PmuEvents& list : model.pmus())
        if (pmu::serves(model.arch().text(list.pmu), bound.pmu))
          bound.tables.push_back({model, &list});
    for (const tables::ArchTables* const arch : architectures) {
      bind_system_tables(*arch, &bound);
      if (has_common) bind_common_events(*arch, &bound);
    }
    state->pmus.push_back(std::move(bound));
  }
  state->index = std::make_shared<CodeIndex>(state->pmus.size());
  state->tracepoint_index = std::make_shared<TracepointIndex>();
}

}  // namespace evname::machine
