#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/nearest_names.hpp"
#include "base/read_file.hpp"
#include "base/text.hpp"
#include "events/compiler/example_cpuids.hpp"
#include "events/cpu/find_model.hpp"
#include "events/cpu/live_cpu.hpp"
#include "events/machine/lookup.hpp"
#include "events/machine/machine_state.hpp"
#include "events/overlay/overlay.hpp"
#include "events/overlay/user_trees.hpp"
#include "events/pmu/builtin.hpp"
#include "events/pmu/sensors.hpp"
#include "events/pmu/sysfs.hpp"
#include "events/tables/arrays.hpp"
#include "evname/error.hpp"
#include "evname/machine.hpp"

namespace evname::machine {
namespace {

/// Sets the model found for the machine, in its CpuInfo too.
void set_match(cpu::ModelMatch match, detail::MachineState* state) {
  state->cpu.model = match.model ? std::string(match.model.name()) : std::string();
  state->cpu.matched_by = match.matched_by;
  state->cpu.note = match.note;
  state->cpu.source = match.model ? std::string(match.model.source()) : std::string();
  state->match = std::move(match);
}

void add_warnings(std::vector<std::string> warnings, detail::MachineState* state) {
  for (std::string& warning : warnings)
    if (std::find(state->warnings.begin(), state->warnings.end(), warning) == state->warnings.end())
      state->warnings.push_back(std::move(warning));
}

/// The first `users` of `trees` are the user's.
Result<void> lay_trees(std::vector<overlay::TreePtr> trees, std::size_t users,
                       const overlay::Wanted& wanted, detail::MachineState* state) {
  auto laid = overlay::lay(trees, wanted);
  if (!laid) return fail(std::move(laid));
  add_warnings(std::move(laid->warnings), state);
  for (std::size_t i = trees.size(); i-- > 0;)
    if (const auto part = trees[i]->find(wanted))
      state->laid.push_back({trees[i]->path(), part->version, i < users});
  state->overlay = std::move(laid->tables);
  state->built_in = wanted.built_in;
  state->trees = std::move(trees);
  for (const overlay::TreePtr& tree : state->trees)
    state->facts.insert(state->facts.begin(), tree->facts());
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

/// Returns the name of the CPU's kind that a core PMU has: the capability pmu_name, or the name of
/// an Arm PMU; else "".
std::string core_caps_name(const std::vector<pmu::Pmu>& pmus) {
  for (const pmu::Pmu& pmu : pmus)
    if (const std::string* name = pmu.find_cap("pmu_name"); pmu.is_core && name != nullptr)
      return *name;
  for (const pmu::Pmu& pmu : pmus)
    if (pmu.is_core && cpu::is_arm_cpu(pmu.name)) return pmu.name;
  return {};
}

/// Opens the user's trees. What is wrong with them is a warning of the machine.
std::vector<overlay::TreePtr> trees_of(UserEvents user_events, detail::MachineState* state) {
  if (user_events == UserEvents::leave_out) return {};
  auto trees = overlay::user_trees(state->warnings);
  for (const overlay::TreePtr& tree : trees) add_warnings(tree->warnings(), state);
  return trees;
}

/// Lays the user's trees that have something for the CPU, and over them `tree`, which may be null,
/// over the tables of the build. The CPU and its match are set, its PMUs are not bound yet. What is
/// wrong with the user's trees is a warning; an error if `tree` has nothing for the CPU.
Result<void> lay_events(std::vector<overlay::TreePtr> users, const overlay::TreePtr& tree,
                        const std::string& pmu_name, detail::MachineState* state) {
  const overlay::Wanted wanted{state->cpu.arch, state->cpu.cpuid, pmu_name, state->match};
  users = overlay::newest_last(std::move(users), wanted);
  if (tree && !tree->find(wanted)) return fail(tree->has_nothing(wanted));
  auto done = lay_usable(std::move(users), tree, wanted, state);
  if (done || tree) return done;
  state->warnings.push_back(done.error().text());
  return {};
}

/// Core PMUs are missing on many virtual machines; their events can be named all the same. A core
/// PMU without any field is perf's placeholder for that case.
void add_missing_core(detail::MachineState* state, std::vector<pmu::Pmu>* pmus) {
  std::erase_if(*pmus, [](const pmu::Pmu& pmu) { return pmu.is_core && pmu.formats.empty(); });
  for (const pmu::Pmu& pmu : *pmus)
    if (pmu.is_core) return;
  for (pmu::Pmu& pmu :
       pmu::builtin_pmus(state->cpu.arch, state->cpu.cpuid, state->match.model, state->facts))
    if (pmu.is_core) pmus->push_back(std::move(pmu));
  pmu::sort_pmus(*pmus);
  state->warnings.push_back(
      "this machine has no core PMU; names of CPU events are encoded with built-in format fields");
}

/// Trees that a machine's name may mean a model of.
struct Trees {
  overlay::TreePtr given;  ///< may be null
  std::vector<overlay::TreePtr> users;
};

/// A model by name: of the tree that is laid over the tables, if there is one, of these, or of one
/// of the user's.
tables::ModelView find_model(std::string_view text, const Trees& trees) {
  if (trees.given)
    if (const tables::ModelView model = trees.given->find_model(text)) return model;
  if (const tables::ModelView model = cpu::find_model(text)) return model;
  for (const overlay::TreePtr& tree : trees.users)
    if (const tables::ModelView model = tree->find_model(text)) return model;
  return {};
}

/// The model a CPU text means; state->cpu and state->match are set.
Result<void> identify(std::string_view text, const std::vector<pmu::Pmu>& pmus, const Trees& trees,
                      detail::MachineState* state) {
  if (const tables::ModelView model = find_model(text, trees)) {
    state->cpu.arch = model.arch().arch;
    state->cpu.cpuid = model.example_cpuid();
    if (state->cpu.cpuid.empty()) state->cpu.cpuid = compiler::example_cpuid(model);
    set_match({model, MatchedBy::name, {}}, state);
    return {};
  }
  state->cpu.arch = cpu::arch_of_cpuid(text);
  if (state->cpu.arch.empty()) {
    std::string hint;
    for (const std::string& name : cpu::near_models(text, 3))
      hint += (hint.empty() ? "did you mean " : ", ") + name;
    if (!hint.empty()) hint += '?';
    return fail(Errc::not_found, fmt::format("'{}' is neither a CPUID string nor a model", text),
                {}, std::move(hint));
  }
  state->cpu.cpuid = cpu::lookup_cpuid(state->cpu.arch, text);
  set_match(cpu::match_model(state->cpu.arch, state->cpu.cpuid, core_caps_name(pmus)), state);
  return {};
}

/// The architecture decides how a sysfs tree is read, so it is wanted before the PMUs are.
std::string arch_of(std::string_view text, const Trees& trees) {
  if (const tables::ModelView model = find_model(text, trees))
    return std::string(model.arch().arch);
  return cpu::arch_of_cpuid(text);
}

/// The numbers of CPUs are below that; the largest number there is if the tree does not tell.
std::uint64_t present_cpus(const std::string& sysfs) {
  constexpr std::size_t kLongest = 4096, kMostCpus = 1 << 16;
  const auto list = read_head(sysfs + "/devices/system/cpu/present", kLongest);
  const auto cpus = list ? parse_cpu_list(*list, kMostCpus) : std::vector<unsigned>();
  return cpus.empty() ? ~std::uint64_t{0} : *std::max_element(cpus.begin(), cpus.end()) + 1;
}

/// Where perf looks: the mount point of its own, else the one inside debugfs.
TracepointSource tracefs_of(const Roots& roots) {
  std::string tracefs = roots.sysfs + "/kernel/tracing";
  const std::string in_debugfs = roots.sysfs + "/kernel/debug/tracing";
  if (!is_directory(tracefs + "/events") && is_directory(in_debugfs + "/events"))
    tracefs = in_debugfs;
  return {TracepointSource::From::tracefs, std::move(tracefs), {}};
}

/// core_caps_name() of a recording's PMUs, which are made after the model is known.
std::string recorded_caps_name(const pmu::RecordedPmus& recorded) {
  for (const pmu::RecordedPmus::Caps& caps : recorded.caps)
    for (const auto& [name, value] : caps.values)
      if (name == "pmu_name") return value;
  for (const auto& [type, name] : recorded.mappings)
    if (cpu::is_arm_cpu(name)) return name;
  return {};
}

}  // namespace

packing::Packer BoundPmu::make_packer() const {
  const tables::ArchTables* arch = model             ? &model.arch()
                                   : !system.empty() ? &system.front().model.arch()
                                   : !common.empty() ? &common.front().model.arch()
                                                     : nullptr;
  return packing::Packer(pmu, arch, is_extended);
}

}  // namespace evname::machine

namespace evname {

namespace detail {

MachineState::MachineState()
    : facts(tables::built_in_facts().begin(), tables::built_in_facts().end()) {}
MachineState::~MachineState() = default;

const machine::EventLookup& MachineState::lookup() const {
  return lookup_.get([this] { return machine::EventLookup(*this); });
}

}  // namespace detail

Result<Machine> Machine::with_events(const std::string& directory) const {
  auto opened = overlay::Tree::open(directory);
  if (!opened) return fail(std::move(opened));
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
  if (!tree->find(wanted)) return fail(tree->has_nothing(wanted));
  const auto users = std::count_if(state_->laid.begin(), state_->laid.end(),
                                   [](const EventDirectory& laid) { return laid.is_users; });
  std::vector<overlay::TreePtr> trees = state_->trees;
  trees.push_back(tree);
  auto done =
      machine::lay_trees(std::move(trees), static_cast<std::size_t>(users), wanted, state.get());
  if (!done) return fail(std::move(done));
  // Built-in descriptions of PMUs depend on the events there are.
  const bool builtin = std::all_of(pmus.begin(), pmus.end(), [](const pmu::Pmu& pmu) {
    return pmu.origin == pmu::Origin::builtin;
  });
  if (builtin)
    pmus = pmu::builtin_pmus(state->cpu.arch, state->cpu.cpuid, state->match.model, state->facts);
  machine::bind_pmus(std::move(pmus), state.get());
  return Machine(state);
}

std::span<const EventDirectory> Machine::event_directories() const { return state_->laid; }

Result<Machine> Machine::live(const Roots& roots, UserEvents user_events) {
  const auto state = std::make_shared<detail::MachineState>();
  auto identity = cpu::live_identity(roots);
  if (!identity) return fail(std::move(identity));
  state->cpu.arch = identity->arch;
  state->cpu.cpuid = identity->cpuid;
  state->tracepoints = machine::tracefs_of(roots);
  state->present_cpus = machine::present_cpus(roots.sysfs);
  std::vector<pmu::Pmu> pmus;
  if (auto found = pmu::sysfs_pmus(roots.sysfs, identity->arch, &state->warnings)) {
    pmus = std::move(*found);
  } else {
    state->warnings.push_back(found.error().text());
  }
  if (roots.gpus)
    for (pmu::Pmu& gpu : pmu::drm_pmus(roots.procfs)) pmus.push_back(std::move(gpu));
  const std::string caps_name = machine::core_caps_name(pmus);
  machine::set_match(cpu::match_model(state->cpu.arch, state->cpu.cpuid, caps_name), state.get());
  machine::lay_events(machine::trees_of(user_events, state.get()), nullptr, caps_name, state.get());
  machine::add_missing_core(state.get(), &pmus);
  machine::bind_pmus(std::move(pmus), state.get());
  return Machine(state);
}

Result<Machine> Machine::named(std::string_view cpu, const std::string& sysfs,
                               const std::string& events, UserEvents user_events) {
  const auto state = std::make_shared<detail::MachineState>();
  machine::Trees trees;
  if (!events.empty()) {
    auto opened = overlay::Tree::open(events);
    if (!opened) return fail(std::move(opened));
    trees.given = std::make_shared<const overlay::Tree>(std::move(*opened));
  }
  trees.users = machine::trees_of(user_events, state.get());
  std::vector<pmu::Pmu> pmus;
  if (!sysfs.empty()) {
    auto found = pmu::sysfs_pmus(sysfs, machine::arch_of(cpu, trees), &state->warnings);
    if (!found) return fail(std::move(found));
    pmus = std::move(*found);
    state->present_cpus = machine::present_cpus(sysfs);
    Roots roots;
    roots.sysfs = sysfs;
    if (auto tracefs = machine::tracefs_of(roots); is_directory(tracefs.tracefs + "/events"))
      state->tracepoints = std::move(tracefs);
  }
  auto done = machine::identify(cpu, pmus, trees, state.get());
  if (done)
    done = machine::lay_events(std::move(trees.users), trees.given, machine::core_caps_name(pmus),
                               state.get());
  if (!done) return fail(std::move(done));
  if (sysfs.empty()) {
    pmus = pmu::builtin_pmus(state->cpu.arch, state->cpu.cpuid, state->match.model, state->facts);
  } else {
    machine::add_missing_core(state.get(), &pmus);
  }
  machine::bind_pmus(std::move(pmus), state.get());
  return Machine(state);
}

Machine recorded_machine(std::string_view header_arch, std::string_view header_cpuid,
                         const pmu::RecordedPmus& recorded,
                         std::vector<std::pair<std::uint64_t, std::string>> tracepoints,
                         UserEvents user_events) {
  const auto state = std::make_shared<detail::MachineState>();
  state->tracepoints.from = machine::TracepointSource::From::recording;
  state->tracepoints.recorded = std::move(tracepoints);
  state->cpu.arch = cpu::tables_arch(header_arch);
  state->cpu.cpuid = cpu::lookup_cpuid(state->cpu.arch, header_cpuid);
  const std::string caps_name = machine::recorded_caps_name(recorded);
  machine::set_match(cpu::match_model(state->cpu.arch, state->cpu.cpuid, caps_name), state.get());
  machine::lay_events(machine::trees_of(user_events, state.get()), nullptr, caps_name, state.get());
  machine::bind_pmus(pmu::recorded_pmus(recorded, state->cpu.arch, state->cpu.cpuid,
                                        state->match.model, state->facts),
                     state.get());
  return detail::Access::make<Machine>(state);
}

std::vector<unsigned> cpu_numbers(std::string_view list, std::size_t limit) {
  return parse_cpu_list(list, limit);
}

const CpuInfo& Machine::cpu() const { return state_->cpu; }

std::vector<PmuInfo> Machine::pmus() const {
  std::vector<PmuInfo> out;
  for (const machine::BoundPmu& bound : state_->pmus)
    if (!bound.pmu.is_implied)
      out.push_back({bound.pmu.name, bound.pmu.type, bound.pmu.is_core, bound.pmu.is_uncore,
                     bound.pmu.origin != pmu::Origin::builtin, bound.pmu.cpus});
  return out;
}

std::span<const std::string> Machine::warnings() const { return state_->warnings; }

}  // namespace evname
