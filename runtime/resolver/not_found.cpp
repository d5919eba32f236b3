#include "resolver/not_found.hpp"

#include <fmt/format.h>

#include "machine/bind.hpp"
#include "resolver/suggest.hpp"
#include "syntax/lexer.hpp"

namespace evname::event {
namespace {

/// The PMU that has such an event in the model's or the system tables; "" if none has.
std::string pmu_of_event(const detail::MachineState& state, std::string_view name) {
  std::string pmu;
  const auto look = [&](const tables::ModelView& view) {
    tables::find_event(view, name, [&](const tables::EventHit& hit) {
      if (pmu.empty()) pmu = view.arch().text(hit.pmu->pmu);
    });
  };
  if (state.match.model) look(state.match.model);
  if (const auto arch = architecture_of(state); arch && pmu.empty())
    for (const tables::Model& model : arch->models)
      if ((model.flags & tables::kSystem) != 0 && pmu.empty()) look({*arch, &model});
  return pmu == "default_core" ? "cpu" : pmu;
}

std::string no_table_hint(const detail::MachineState& state) {
  if (state.match.matched_by != MatchedBy::none) return {};
  return state.cpu.cpuid.empty()
             ? "the CPU of this machine is not known, so no event table is in use"
             : fmt::format("no event table fits the CPUID {}", state.cpu.cpuid);
}

/// "skylakex", "CPU QEMU,8561,QEMU" or "this machine": whose events were looked through.
std::string machine_name(const detail::MachineState& state) {
  if (!state.cpu.model.empty()) return state.cpu.model;
  return state.cpu.cpuid.empty() ? "this machine" : "CPU " + state.cpu.cpuid;
}

Error not_found(const Spec& spec, std::string message, std::string hint) {
  return error_at(spec.offset, Errc::not_found, std::move(message), std::move(hint)).value();
}

std::string join(std::string first, const std::string& second) {
  if (!first.empty() && !second.empty()) first += "; ";
  return first + second;
}

}  // namespace

Error unknown_event(const detail::MachineState& state, const Spec& spec) {
  if (const std::string pmu = pmu_of_event(state, spec.name); !pmu.empty())
    return not_found(
        spec,
        fmt::format("{} is an event of PMU {}, which this machine does not have", spec.name, pmu),
        {});
  return not_found(spec, fmt::format("no event '{}' on {}", spec.name, machine_name(state)),
                   join(no_table_hint(state), suggest_events(state, spec.name)));
}

Error unknown_pmu(const detail::MachineState& state, const Spec& spec) {
  return not_found(spec, fmt::format("no PMU or event '{}' on {}", spec.name, machine_name(state)),
                   join(no_table_hint(state), suggest_pmus(state, spec.name)));
}

}  // namespace evname::event
