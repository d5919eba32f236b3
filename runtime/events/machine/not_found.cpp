#include "events/machine/not_found.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/nearest_names.hpp"
#include "base/text.hpp"
#include "events/machine/bind.hpp"
#include "events/machine/lookup.hpp"
#include "events/syntax/lexer.hpp"
#include "events/syntax/modifiers.hpp"

namespace evname::resolver {
namespace {

constexpr std::size_t kMaxName = 128;  // longer texts are no misspelled names

/// How near names are to one that was given.
class Nearest {
 public:
  explicit Nearest(std::string_view name)
      : name_(to_lower(name)), bound_(std::clamp<std::size_t>(name.size() / 4, 1, 6)) {}

  void offer(std::string_view candidate) {
    const std::string lower = to_lower(candidate);
    const std::size_t score = distance(lower);
    if (score > 2 * bound_) return;
    near_.offer(score, lower);
  }

  std::string hint() const { return near_.hint(); }

 private:
  std::size_t edits(std::string_view candidate) const {
    const std::size_t longer = std::max(candidate.size(), name_.size());
    const std::size_t shorter = std::min(candidate.size(), name_.size());
    return longer - shorter > bound_ ? bound_ + 1 : edit_distance(name_, candidate);
  }

  /// Edits count double; a name that goes on where the given one ends, or holds it, is near too.
  std::size_t distance(std::string_view candidate) const {
    const std::size_t edited = 2 * edits(candidate);
    if (name_.size() < 3) return edited;
    if (candidate.starts_with(name_)) return std::min<std::size_t>(edited, 1);
    if (candidate.find(name_) != std::string_view::npos) return std::min<std::size_t>(edited, 2);
    return edited;
  }

  std::string name_;
  std::size_t bound_;
  NearestNames near_;
};

/// "did you mean a, b, c?" with the machine's nearest event names; "" if none is near.
std::string suggest_events(const detail::MachineState& state, std::string_view name) {
  if (name.size() > kMaxName) return {};
  Nearest nearest(name);
  std::set<const tables::Model*> seen;
  const auto offer_model = [&](const tables::ModelView& view) {
    if (!view || !seen.insert(view.model).second) return;
    for (const tables::PmuEvents& list : view.pmus())
      for (std::size_t i = 0; i < list.count; ++i)
        nearest.offer(view.arch().text(view.event(list, i).name));
  };
  offer_model(state.match.model);
  for (const machine::BoundPmu& bound : state.pmus) {
    offer_model(bound.model);
    for (const machine::OtherEvent& system : bound.system)
      nearest.offer(system.model.arch().text(system.event->name));
    for (const pmu::SysfsEvent& event : bound.pmu.events) nearest.offer(event.name);
  }
  return nearest.hint();
}

std::string suggest_pmus(const detail::MachineState& state, std::string_view name) {
  if (name.size() > kMaxName) return {};
  Nearest nearest(name);
  for (const machine::BoundPmu& bound : state.pmus) nearest.offer(bound.pmu.name);
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
  if (state.match.model) look(state.match.model);
  if (const auto arch = machine::architecture_of(state); arch && pmu.empty())
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

}  // namespace evname::resolver
