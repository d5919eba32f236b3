#include "events/machine/unknown_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/nearest_names.hpp"
#include "base/text.hpp"
#include "events/machine/kernel_events.hpp"
#include "events/machine/lookup.hpp"
#include "events/machine/machine_state.hpp"
#include "events/syntax/events.hpp"
#include "events/syntax/kernel_names.hpp"
#include "events/syntax/lexer.hpp"
#include "events/syntax/modifiers.hpp"
#include "events/trees/vendor_formula.hpp"

namespace evname::machine {
namespace {

constexpr std::size_t kMaxName = 128;  // longer texts are no misspelled names

/// Collects the names that are nearest to one that was given.
class Nearest {
 public:
  explicit Nearest(std::string_view name)
      : name_(to_lower(name)),
        letters_(letters_of(name)),
        bound_(std::clamp<std::size_t>(name.size() / 4, 1, 6)) {}

  void offer(std::string_view candidate) {
    const std::uint64_t letters = letters_of(candidate);
    if (!may_be_within(letters_, letters, bound_) && (letters_ & ~letters) != 0) return;
    const std::string lower = to_lower(candidate);
    const std::size_t score = distance(lower);
    if (score > 2 * bound_) return;
    near_.offer(score, lower);
  }

  std::string hint() const { return near_.hint(); }

 private:
  /// Edits count double; a name that goes on where the given one ends, or holds it, is near too.
  std::size_t distance(std::string_view candidate) const {
    const std::size_t edited = 2 * edit_distance(name_, candidate, bound_);
    if (name_.size() < 3) return edited;
    if (candidate.starts_with(name_)) return std::min<std::size_t>(edited, 1);
    if (candidate.find(name_) != std::string_view::npos) return std::min<std::size_t>(edited, 2);
    return edited;
  }

  std::string name_;
  std::uint64_t letters_;
  std::size_t bound_;
  NearestNames near_;
};

/// Says what perf calls an event of Intel's formulas, as PERF_METRICS.RETIRING; "" if the name is
/// no such event, or the machine does not have it.
std::string perfs_name(const detail::MachineState& state, std::string_view lower) {
  if (lower.find_first_of(":[") != lower.npos) return {};
  const std::string theirs = to_upper(lower);
  auto ours = trees::kernel_event(theirs);
  if (!ours || *ours == theirs) return {};
  std::erase(*ours, '\\');
  std::ranges::replace(*ours, '@', '/');
  const std::string_view event = *ours;
  const auto slash = event.find('/');
  const bool is_here = slash == event.npos ? state.lookup().find(event, 0).size() != 0
                                           : pmu_of_name(state, event.substr(0, slash)).has_value();
  return is_here ? fmt::format("perf calls it {}", event) : std::string();
}

/// Says how to write what is no name of an event here, but has another spelling; "" if it has none.
std::string other_spelling(const detail::MachineState& state, std::string_view text) {
  const std::string name = to_lower(text);
  if (name.starts_with("papi_"))
    return "presets of PAPI stand for other events on each CPU: `papi_avail -e` shows which";
  if (std::string perfs = perfs_name(state, name); !perfs.empty()) return perfs;
  return syntax::code_hint(name);
}

/// Returns "did you mean a, b, c?" with the machine's nearest event names; "" if none is near.
std::string suggest_events(const detail::MachineState& state, std::string_view name) {
  if (name.size() > kMaxName) return {};
  if (std::string spelling = other_spelling(state, name); !spelling.empty()) return spelling;
  Nearest nearest(name);
  std::set<const tables::Model*> seen;
  const auto offer_model = [&](const tables::ModelView& view) {
    if (!seen.insert(view.model).second) return;
    for (const tables::PmuEvents& list : view.pmus())
      for (std::size_t i = 0; i < list.count; ++i)
        nearest.offer(view.arch().text(view.event(list, i).name));
  };
  for (const tables::ModelView& model : state.models) offer_model(model);
  for (const BoundPmu& bound : state.pmus) {
    for (const tables::ModelView& model : bound.models) offer_model(model);
    for (const OtherEvent& system : bound.system)
      nearest.offer(system.model.arch().text(system.event->name));
    for (const pmu::SysfsEvent& event : bound.pmu.events) nearest.offer(event.name);
  }
  for (const BoundPmu& bound : state.possible_pmus())
    for (const pmu::SysfsEvent& event : bound.pmu.events) nearest.offer(event.name);
  for (const syntax::GenericEvent& event : syntax::generic_events()) nearest.offer(event.name);
  return nearest.hint();
}

std::string suggest_pmus(const detail::MachineState& state, std::string_view name) {
  if (name.size() > kMaxName) return {};
  Nearest nearest(name);
  for (const auto* pmus : {&state.pmus, &state.possible_pmus()})
    for (const BoundPmu& bound : *pmus) nearest.offer(bound.pmu.name);
  return nearest.hint();
}

/// The PMU that has such an event in the model's or the system tables; "" if none has.
std::string pmu_of_event(const detail::MachineState& state, std::string_view name) {
  std::string pmu;
  const auto look = [&](const tables::ModelView& view) {
    tables::find_event(view, name, [&](const tables::EventHit& hit) {
      if (pmu.empty()) pmu = view.arch().text(hit.pmu->pmu);
    });
  };
  for (const tables::ModelView& model : state.models) look(model);
  for (const tables::ArchTables* const arch : architectures_of(state))
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

/// Names the machine whose events were looked through: "skylakex", "CPU QEMU,8561,QEMU" or "this
/// machine".
std::string machine_name(const detail::MachineState& state) {
  if (!state.cpu.model.empty()) return state.cpu.model;
  return state.cpu.cpuid.empty() ? "this machine" : "CPU " + state.cpu.cpuid;
}

Error not_found(const syntax::Spec& spec, std::string message, std::string hint) {
  return syntax::error_at(spec.offset, Errc::not_found, std::move(message), std::move(hint))
      .value();
}

std::string join(std::string first, const std::string& second) {
  if (!first.empty() && !second.empty()) first += "; ";
  return first + second;
}

}  // namespace

Error unknown_event(const detail::MachineState& state, const syntax::Spec& spec) {
  if (const std::string pmu = pmu_of_event(state, spec.name); !pmu.empty())
    return not_found(
        spec,
        fmt::format("{} is an event of PMU {}, which this machine does not have", spec.name, pmu),
        {});
  return not_found(spec, fmt::format("no event '{}' on {}", spec.name, machine_name(state)),
                   join(no_table_hint(state), suggest_events(state, spec.name)));
}

Error unknown_pmu(const detail::MachineState& state, const syntax::Spec& spec) {
  return not_found(spec, fmt::format("no PMU or event '{}' on {}", spec.name, machine_name(state)),
                   join(no_table_hint(state), suggest_pmus(state, spec.name)));
}

Error no_tracepoint(const detail::MachineState& state, const syntax::Spec& spec, Error why) {
  if (state.lookup().find(spec.name, 0).size() == 0) return why;
  const auto offset = spec.offset + static_cast<std::size_t>(spec.event.data() - spec.name.data());
  return syntax::syntax_error(offset, syntax::modifier_problem(spec.event, false)).value();
}

}  // namespace evname::machine
