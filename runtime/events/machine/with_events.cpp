#include "events/machine/with_events.hpp"

#include <algorithm>

#include "events/machine/bind.hpp"
#include "events/overlay/user_trees.hpp"
#include "events/pmu/builtin.hpp"
#include "events/tables/arrays.hpp"

namespace evname {
namespace machine {
namespace {

void add_warnings(std::vector<std::string> warnings, detail::MachineState* state) {
  for (std::string& warning : warnings)
    if (std::find(state->warnings.begin(), state->warnings.end(), warning) == state->warnings.end())
      state->warnings.push_back(std::move(warning));
}

/// The first `users` of `trees` are the user's.
Result<void> lay_trees(std::vector<overlay::TreePtr> trees, std::size_t users,
                       const overlay::Wanted& wanted, detail::MachineState* state) {
  auto laid = overlay::lay(trees, wanted);
  if (!laid) return tl::unexpected<Error>(std::move(laid.error()));
  add_warnings(std::move(laid->warnings), state);
  for (std::size_t i = trees.size(); i-- > 0;)
    if (const auto part = trees[i]->find(wanted))
      state->laid.push_back({trees[i]->path(), part->version, i < users});
  state->overlay = std::move(laid->tables);
  state->built_in = wanted.built_in;
  state->trees = std::move(trees);
  set_match(std::move(laid->match), state);
  return {};
}

/// Takes the trees out that have nothing to use for the CPU, with a warning. False: there is none.
bool drop_bad(std::vector<overlay::TreePtr>& trees, const overlay::Wanted& wanted,
              detail::MachineState* state) {
  const auto dropped = std::erase_if(trees, [&](const overlay::TreePtr& tree) {
    const auto laid = overlay::lay({&tree, 1}, wanted);
    if (!laid) add_warnings({laid.error().text()}, state);
    return !laid;
  });
  return dropped > 0;
}

/// The user's trees and over them one that has to be used; without those that can't be.
Result<void> lay_usable(std::vector<overlay::TreePtr> users, const overlay::TreePtr& tree,
                        const overlay::Wanted& wanted, detail::MachineState* state) {
  for (;;) {
    if (users.empty() && !tree) return {};
    std::vector<overlay::TreePtr> all = users;
    if (tree) all.push_back(tree);
    auto done = lay_trees(std::move(all), users.size(), wanted, state);
    if (done || !drop_bad(users, wanted, state)) return done;
  }
}

}  // namespace

std::string core_caps_name(const std::vector<pmu::Pmu>& pmus) {
  for (const pmu::Pmu& pmu : pmus)
    if (const std::string* name = pmu.find_cap("pmu_name"); pmu.is_core && name != nullptr)
      return *name;
  for (const pmu::Pmu& pmu : pmus)
    if (pmu.is_core && cpu::is_arm_cpu(pmu.name)) return pmu.name;
  return {};
}

std::vector<overlay::TreePtr> trees_of(UserEvents user_events, detail::MachineState* state) {
  if (user_events == UserEvents::leave_out) return {};
  auto trees = overlay::user_trees(state->warnings);
  for (const overlay::TreePtr& tree : trees) add_warnings(tree->warnings(), state);
  return trees;
}

Result<void> lay_events(std::vector<overlay::TreePtr> users, const overlay::TreePtr& tree,
                        const std::string& pmu_name, detail::MachineState* state) {
  const overlay::Wanted wanted{state->cpu.arch, state->cpu.cpuid, pmu_name, state->match};
  users = overlay::newest_last(std::move(users), wanted);
  if (tree && !tree->find(wanted)) return tl::unexpected(tree->has_nothing(wanted));
  auto done = lay_usable(std::move(users), tree, wanted, state);
  if (done || tree) return done;
  state->warnings.push_back(done.error().text());
  return {};
}

}  // namespace machine

Result<Machine> Machine::with_events(const std::string& directory) const {
  auto opened = overlay::Tree::open(directory);
  if (!opened) return tl::unexpected<Error>(std::move(opened.error()));
  const auto state = std::make_shared<detail::MachineState>();
  state->cpu = state_->cpu;
  state->match = state_->overlay ? state_->built_in : state_->match;
  state->warnings = state_->warnings;
  state->tracepoints = state_->tracepoints;
  std::vector<pmu::Pmu> pmus;
  for (const machine::BoundPmu& bound : state_->pmus) pmus.push_back(bound.pmu);
  const overlay::Wanted wanted{state->cpu.arch, state->cpu.cpuid, machine::core_caps_name(pmus),
                               state->match};
  const auto tree = std::make_shared<const overlay::Tree>(std::move(*opened));
  if (!tree->find(wanted)) return tl::unexpected(tree->has_nothing(wanted));
  const auto users = std::count_if(state_->laid.begin(), state_->laid.end(),
                                   [](const LaidEvents& laid) { return laid.is_users; });
  std::vector<overlay::TreePtr> trees = state_->trees;
  trees.push_back(tree);
  auto done =
      machine::lay_trees(std::move(trees), static_cast<std::size_t>(users), wanted, state.get());
  if (!done) return tl::unexpected<Error>(std::move(done.error()));
  // Built-in descriptions of PMUs depend on the events there are.
  const bool builtin = std::all_of(pmus.begin(), pmus.end(), [](const pmu::Pmu& pmu) {
    return pmu.origin == pmu::Origin::builtin;
  });
  if (builtin) pmus = pmu::builtin_pmus(state->cpu.arch, state->cpu.cpuid, state->match.model);
  machine::bind_pmus(std::move(pmus), state.get());
  return Machine(state);
}

std::span<const LaidEvents> Machine::laid_events() const { return state_->laid; }

}  // namespace evname
