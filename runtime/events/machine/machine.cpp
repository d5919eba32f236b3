#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/nearest_names.hpp"
#include "base/read_file.hpp"
#include "base/text.hpp"
#include "events/compiler/example_cpuids.hpp"
#include "events/cpu/find_model.hpp"
#include "events/cpu/identity.hpp"
#include "events/cpu/live_cpu.hpp"
#include "events/machine/lookup.hpp"
#include "events/machine/machine_state.hpp"
#include "events/overlay/overlay.hpp"
#include "events/pmu/builtin.hpp"
#include "events/pmu/sysfs.hpp"
#include "events/tables/arrays.hpp"
#include "events/tables/registry.hpp"
#include "evname/error.hpp"
#include "evname/machine.hpp"

namespace evname::machine {
namespace {

/// Sets the match of the machine, in its CpuInfo too. The model of the match is the first of the
/// models.
void set_match(cpu::ModelMatch match, std::vector<tables::ModelView> models,
               detail::MachineState* state) {
  tables::bring(state->cpu.arch);
  if (match.model) tables::bring(match.model.arch().arch);
  state->cpu.model = match.model ? std::string(match.model.name()) : std::string();
  state->cpu.matched_by = match.matched_by;
  state->cpu.note = match.note;
  state->cpu.source.clear();
  for (const tables::ModelView& model : models)
    if (state->cpu.source.empty()) state->cpu.source = model.source();
  state->match = std::move(match);
  state->models = std::move(models);
}

void set_match(cpu::ModelMatch match, detail::MachineState* state) {
  std::vector<tables::ModelView> models;
  if (match.model) models.push_back(match.model);
  set_match(std::move(match), std::move(models), state);
}

void add_warnings(std::vector<std::string> warnings, detail::MachineState* state) {
  for (std::string& warning : warnings)
    if (std::find(state->warnings.begin(), state->warnings.end(), warning) == state->warnings.end())
      state->warnings.push_back(std::move(warning));
}

/// Lays the trees' events over the build's. The first `users` of the trees are the user's.
Result<void> use_trees(std::vector<overlay::TreePtr> trees, std::size_t users,
                       const overlay::WantedCpu& wanted, detail::MachineState* state) {
  auto found = overlay::read_trees(trees, wanted);
  if (!found) return fail(std::move(found));
  add_warnings(std::move(found->warnings), state);
  for (std::size_t i = trees.size(); i-- > 0;)
    if (const auto part = trees[i]->find(wanted))
      state->directories.push_back({trees[i]->path(), part->version, i < users});
  state->overlay = std::move(found->tables);
  state->built_in = wanted.built_in;
  state->trees = std::move(trees);
  for (const overlay::TreePtr& tree : state->trees)
    state->facts.insert(state->facts.begin(), tree->facts());
  set_match(std::move(found->match), std::move(found->models), state);
  return {};
}

/// Removes trees without anything for the CPU, with a warning. Returns false if none is left.
bool drop_unusable(std::vector<overlay::TreePtr>& trees, const overlay::WantedCpu& wanted,
                   detail::MachineState* state) {
  const auto dropped = std::erase_if(trees, [&](const overlay::TreePtr& tree) {
    const auto found = overlay::read_trees({&tree, 1}, wanted);
    if (!found) add_warnings({found.error().text()}, state);
    return !found;
  });
  return dropped > 0;
}

/// Uses the usable trees of the user, and over them `tree`, which must be usable.
Result<void> use_usable_trees(std::vector<overlay::TreePtr> users, const overlay::TreePtr& tree,
                              const overlay::WantedCpu& wanted, detail::MachineState* state) {
  for (;;) {
    if (users.empty() && !tree) return {};
    std::vector<overlay::TreePtr> all = users;
    if (tree) all.push_back(tree);
    auto done = use_trees(std::move(all), users.size(), wanted, state);
    if (done || !drop_unusable(users, wanted, state)) return done;
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

/// Opens the user's trees. Their faults become warnings of the machine.
std::vector<overlay::TreePtr> trees_of(UserEvents user_events, detail::MachineState* state) {
  if (user_events == UserEvents::leave_out) return {};
  auto trees = overlay::user_trees(state->warnings);
  for (const overlay::TreePtr& tree : trees) add_warnings(tree->warnings(), state);
  return trees;
}

/// Lays the user's trees that have something for the CPU, and over them `tree`, which may be null,
/// over the tables of the build. The CPU and its match are set, its PMUs are not bound yet. Faults
/// of the user's trees become warnings; returns an error if `tree` has nothing for the CPU.
Result<void> add_event_files(std::vector<overlay::TreePtr> users, const overlay::TreePtr& tree,
                             const std::string& pmu_name, detail::MachineState* state) {
  if (tree) add_warnings(tree->warnings(), state);
  const overlay::WantedCpu wanted{state->cpu.arch, state->cpu.cpuid, pmu_name, state->match};
  users = overlay::newest_last(std::move(users), wanted);
  if (tree && !tree->find(wanted)) return fail(tree->has_nothing(wanted));
  auto done = use_usable_trees(std::move(users), tree, wanted, state);
  if (done || tree) return done;
  state->warnings.push_back(done.error().text());
  return {};
}

/// Many virtual machines lack core PMUs, but their events can be named. A core PMU without any
/// field is perf's placeholder in this case.
void add_missing_core(detail::MachineState* state, std::vector<pmu::Pmu>* pmus) {
  std::erase_if(*pmus, [](const pmu::Pmu& pmu) { return pmu.is_core && pmu.formats.empty(); });
  for (const pmu::Pmu& pmu : *pmus)
    if (pmu.is_core) return;
  for (pmu::Pmu& pmu : pmu::builtin_pmus(state->cpu.arch, state->cpu.cpuid, state->match.model,
                                         state->facts, state->models))
    if (pmu.is_core) pmus->push_back(std::move(pmu));
  pmu::sort_pmus(*pmus);
  state->warnings.push_back(
      "this machine has no core PMU; names of CPU events are encoded with built-in format fields");
}

/// Trees with models that a name may mean.
struct Trees {
  overlay::TreePtr given;  ///< may be null
  std::vector<overlay::TreePtr> users;
};

/// Finds a model by name: in the tree that is laid over the tables, in the tables, or in the user's
/// trees.
cpu::NamedModel find_model(std::string_view text, const Trees& trees) {
  if (trees.given)
    if (const cpu::NamedModel found = trees.given->find_model(text)) return found;
  if (const cpu::NamedModel found = cpu::find_model(text)) return found;
  for (const overlay::TreePtr& tree : trees.users)
    if (const cpu::NamedModel found = tree->find_model(text)) return found;
  return {};
}

std::vector<tables::CpuFacts> facts_of(const Trees& trees) {
  std::vector<tables::CpuFacts> facts;
  if (trees.given) facts.push_back(trees.given->facts());
  const auto built_in = tables::built_in_facts();
  facts.insert(facts.end(), built_in.begin(), built_in.end());
  for (const overlay::TreePtr& tree : trees.users) facts.push_back(tree->facts());
  return facts;
}

/// Returns names similar to a text that means no CPU.
std::string suggest_cpus(std::string_view text, const Trees& trees) {
  // No model has a name that begins with a digit, but many products have.
  const bool is_number = !text.empty() && text[0] >= '0' && text[0] <= '9';
  auto names = is_number ? std::vector<std::string>() : cpu::near_models(text, 3);
  if (names.empty()) names = cpu::near_products(text, 3, facts_of(trees));
  return did_you_mean(names);
}

/// The meaning of a text for a CPU: a model, else an architecture and a CPUID string.
struct MeantCpu {
  tables::ModelView model;
  std::string arch, cpuid;
  std::string note;
};

Result<MeantCpu> meant_cpu(std::string_view text, const Trees& trees) {
  MeantCpu out;
  cpu::NamedModel found = find_model(text, trees);
  const bool is_name = !found && cpu::arch_of_cpuid(text).empty();
  const std::string bare = is_name ? cpu::bare_product(text) : std::string();
  if (is_name) found = find_model(bare, trees);
  const auto product = found ? std::nullopt : cpu::find_product(bare, facts_of(trees));
  if (product) {
    if (product->model.empty() && product->cpuid.empty())
      return fail(Errc::unsupported, fmt::format("{}: {}", text, product->note));
    out.note = product->note;
    text = product->model.empty() ? product->cpuid : product->model;
    found = find_model(text, trees);
    if (!product->cpuid.empty()) found.cpuid = product->cpuid;
  }
  out.model = found.model;
  if (out.model) {
    out.arch = out.model.arch().arch;
    out.cpuid = found.cpuid.empty() ? out.model.example_cpuid() : found.cpuid;
    if (out.cpuid.empty()) out.cpuid = compiler::example_cpuid(out.model);
    return out;
  }
  out.arch = cpu::arch_of_cpuid(text);
  if (out.arch.empty())
    return fail(Errc::not_found, fmt::format("'{}' is neither a CPUID string nor a model", text),
                {}, suggest_cpus(text, trees));
  out.cpuid = cpu::lookup_cpuid(out.arch, text);
  return out;
}

/// Sets the CPU and its match.
void identify(MeantCpu meant, const std::vector<pmu::Pmu>& pmus, detail::MachineState* state) {
  state->cpu.arch = std::move(meant.arch);
  state->cpu.cpuid = std::move(meant.cpuid);
  cpu::ModelMatch match =
      meant.model ? cpu::ModelMatch{meant.model, MatchedBy::name, {}}
                  : cpu::match_model(state->cpu.arch, state->cpu.cpuid, core_caps_name(pmus));
  if (!meant.note.empty()) match.note += (match.note.empty() ? "" : "; ") + meant.note;
  set_match(std::move(match), state);
}

/// The numbers of CPUs are below this; the largest number if the tree does not tell.
std::uint64_t present_cpus(const std::string& sysfs) {
  constexpr std::size_t kLongest = 4096;
  const auto list = read_head(sysfs + "/devices/system/cpu/present", kLongest);
  const auto cpus = list ? parse_cpu_list(*list) : std::vector<unsigned>();
  return cpus.empty() ? ~std::uint64_t{0} : *std::max_element(cpus.begin(), cpus.end()) + 1;
}

/// Returns perf's place: the mount point of tracefs, else the directory inside debugfs.
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

/// Returns the model of the CPU whose name on the box, which /proc/cpuinfo has too, is the
/// description of a recording's CPU.
std::optional<cpu::ModelMatch> match_description(const detail::MachineState& state,
                                                 std::string_view description) {
  const auto product = cpu::find_product(cpu::bare_product(description), tables::built_in_facts());
  if (!product || product->model.empty()) return std::nullopt;
  const tables::ModelView model = cpu::find_model(product->model).model;
  if (!model || model.arch().arch != state.cpu.arch) return std::nullopt;
  std::string note = fmt::format(
      "the recording has no CPUID; the CPU is known by its description '{}'", description);
  if (!product->note.empty()) note += fmt::format("; {}", product->note);
  return cpu::ModelMatch{model, MatchedBy::name, std::move(note)};
}

}  // namespace

packing::Packer BoundPmu::make_packer() const {
  std::vector<const evname::tables::ArchTables*> arches;
  const auto add = [&](const evname::tables::ModelView& model) {
    if (std::ranges::find(arches, &model.arch()) == arches.end()) arches.push_back(&model.arch());
  };
  for (const auto& model : models) add(model);
  for (const auto* events : {&system, &common})
    if (!events->empty()) add(events->front().model);
  return packing::Packer(pmu, arches, is_extended);
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

const std::vector<machine::BoundPmu>& MachineState::possible_pmus() const {
  return possible_pmus_.get([this] { return machine::possible_pmus(*this); });
}

std::optional<std::string_view> MachineState::box(std::string_view name) const {
  const std::lock_guard lock(boxes_mutex_);
  if (const auto at = boxes_.find(name); at != boxes_.end()) return *at;
  if (boxes_.size() == pmu::kMostPmus) return std::nullopt;
  return *boxes_.emplace(name).first;
}

}  // namespace detail

Result<Machine> Machine::with_events(const std::string& directory) const {
  auto opened = overlay::Tree::open(directory);
  if (!opened) return fail(std::move(opened));
  const auto state = std::make_shared<detail::MachineState>();
  state->cpu = state_->cpu;
  state->match = state_->overlay.empty() ? state_->match : state_->built_in;
  state->warnings = state_->warnings;
  state->present_cpus = state_->present_cpus;
  state->tracepoints = state_->tracepoints;
  std::vector<pmu::Pmu> pmus;
  for (const machine::BoundPmu& bound : state_->pmus) pmus.push_back(bound.pmu);
  const overlay::WantedCpu wanted{state->cpu.arch, state->cpu.cpuid, machine::core_caps_name(pmus),
                                  state->match};
  const auto tree = std::make_shared<const overlay::Tree>(std::move(*opened));
  if (!tree->find(wanted)) return fail(tree->has_nothing(wanted));
  const auto users = std::count_if(state_->directories.begin(), state_->directories.end(),
                                   [](const EventDirectory& one) { return one.is_users; });
  std::vector<overlay::TreePtr> trees = state_->trees;
  trees.push_back(tree);
  auto done =
      machine::use_trees(std::move(trees), static_cast<std::size_t>(users), wanted, state.get());
  if (!done) return fail(std::move(done));
  // Built-in descriptions of PMUs depend on the events.
  const bool builtin = std::all_of(pmus.begin(), pmus.end(), [](const pmu::Pmu& pmu) {
    return pmu.origin == pmu::Origin::builtin;
  });
  if (builtin)
    pmus = pmu::builtin_pmus(state->cpu.arch, state->cpu.cpuid, state->match.model, state->facts,
                             state->models);
  machine::bind_pmus(std::move(pmus), state.get());
  return Machine(state);
}

std::span<const EventDirectory> Machine::event_directories() const { return state_->directories; }

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
  machine::add_event_files(machine::trees_of(user_events, state.get()), nullptr, caps_name,
                           state.get());
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
  auto meant = machine::meant_cpu(cpu, trees);
  if (!meant) return fail(std::move(meant));
  std::vector<pmu::Pmu> pmus;
  if (!sysfs.empty()) {  // the architecture decides how the tree is read
    auto found = pmu::sysfs_pmus(sysfs, meant->arch, &state->warnings);
    if (!found) return fail(std::move(found));
    pmus = std::move(*found);
    state->present_cpus = machine::present_cpus(sysfs);
    Roots roots;
    roots.sysfs = sysfs;
    if (auto tracefs = machine::tracefs_of(roots); is_directory(tracefs.tracefs + "/events"))
      state->tracepoints = std::move(tracefs);
  }
  machine::identify(std::move(*meant), pmus, state.get());
  auto done = machine::add_event_files(std::move(trees.users), trees.given,
                                       machine::core_caps_name(pmus), state.get());
  if (!done) return fail(std::move(done));
  if (sysfs.empty()) {
    pmus = pmu::builtin_pmus(state->cpu.arch, state->cpu.cpuid, state->match.model, state->facts,
                             state->models);
  } else {
    machine::add_missing_core(state.get(), &pmus);
  }
  machine::bind_pmus(std::move(pmus), state.get());
  return Machine(state);
}

Machine recorded_machine(std::string_view header_arch, std::string_view header_cpuid,
                         const pmu::RecordedPmus& recorded,
                         std::vector<std::pair<std::uint64_t, std::string>> tracepoints,
                         UserEvents user_events, std::string_view header_cpudesc) {
  const auto state = std::make_shared<detail::MachineState>();
  state->tracepoints.from = machine::TracepointSource::From::recording;
  state->tracepoints.recorded = std::move(tracepoints);
  state->cpu.arch = cpu::tables_arch(header_arch);
  state->cpu.cpuid = cpu::lookup_cpuid(state->cpu.arch, header_cpuid);
  const std::string caps_name = machine::recorded_caps_name(recorded);
  auto match = cpu::match_model(state->cpu.arch, state->cpu.cpuid, caps_name);
  if (state->cpu.cpuid.empty() && match.matched_by != MatchedBy::caps)
    if (auto described = machine::match_description(*state, header_cpudesc))
      match = std::move(*described);
  machine::set_match(std::move(match), state.get());
  machine::add_event_files(machine::trees_of(user_events, state.get()), nullptr, caps_name,
                           state.get());
  machine::bind_pmus(pmu::recorded_pmus(recorded, state->cpu.arch, state->cpu.cpuid,
                                        state->match.model, state->facts, state->models),
                     state.get());
  return detail::Access::make<Machine>(state);
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
