#include "machine/with_events.hpp"

#include <algorithm>

#include "machine/bind.hpp"
#include "pmu/builtin.hpp"
#include "tables/arrays.hpp"

namespace evname {
namespace machine {

std::string core_caps_name(const std::vector<pmu::Pmu>& pmus) {
  for (const pmu::Pmu& pmu : pmus)
    if (const std::string* name = pmu.find_cap("pmu_name"); pmu.is_core && name != nullptr)
      return *name;
  return {};
}

Result<void> lay_events(const overlay::Tree& tree, const std::vector<pmu::Pmu>& pmus,
                        detail::MachineState* state) {
  auto laid = tree.lay({state->cpu.arch, state->cpu.cpuid, core_caps_name(pmus), state->match});
  if (!laid) return tl::unexpected<Error>(std::move(laid.error()));
  for (std::string& warning : laid->warnings) state->warnings.push_back(std::move(warning));
  state->overlay = std::move(laid->tables);
  machine::set_match(std::move(laid->match), state);
  return {};
}

}  // namespace machine

Result<Machine> Machine::with_events(const std::string& directory) const {
  auto tree = overlay::Tree::open(directory);
  if (!tree) return tl::unexpected<Error>(std::move(tree.error()));
  const auto state = std::make_shared<detail::MachineState>();
  state->cpu = state_->cpu;
  state->match = state_->match;
  state->warnings = state_->warnings;
  state->tracepoints = state_->tracepoints;
  std::vector<pmu::Pmu> pmus;
  for (const machine::BoundPmu& bound : state_->pmus) pmus.push_back(bound.pmu);
  if (auto done = machine::lay_events(*tree, pmus, state.get()); !done)
    return tl::unexpected<Error>(std::move(done.error()));
  // Built-in descriptions of PMUs depend on the events there are.
  const bool builtin = std::all_of(pmus.begin(), pmus.end(), [](const pmu::Pmu& pmu) {
    return pmu.origin == pmu::Origin::builtin;
  });
  if (builtin) pmus = pmu::builtin_pmus(state->cpu.arch, state->cpu.cpuid, state->match.model);
  machine::bind_pmus(std::move(pmus), state.get());
  return Machine(state);
}

}  // namespace evname
