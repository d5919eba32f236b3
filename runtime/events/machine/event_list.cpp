// Lists a machine's events: all that can be named, and the tables' events with their codes.

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "base/glob.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"
#include "events/machine/code_lists.hpp"
#include "events/machine/kernel_events.hpp"
#include "events/machine/lookup.hpp"
#include "events/machine/machine_state.hpp"

namespace evname::machine {
namespace {

/// "uncore_imc" of "uncore_imc_3". Core PMUs keep their number: armv8_pmuv3_0.
std::string without_instance(const pmu::Pmu& pmu) {
  const std::size_t end = pmu.name.find_last_not_of("0123456789");
  const bool numbered = end != std::string::npos && end > 0 && end + 1 < pmu.name.size() &&
                        pmu.name[end] == '_' && !pmu.is_core;
  return numbered ? pmu.name.substr(0, end) : pmu.name;
}

EventInfo::Precision precision_of(const tables::Event& event) {
  if ((event.flags & tables::kMustBePrecise) != 0) return EventInfo::Precision::required;
  return (event.flags & tables::kPrecise) != 0 ? EventInfo::Precision::possible
                                               : EventInfo::Precision::unknown;
}

class Lister {
 public:
  Lister(const detail::MachineState& state, std::string_view glob)
      : state_(state), lists_all_(glob == "*"), glob_(to_lower(glob)) {}

  std::vector<EventInfo> run();

 private:
  void add(const Alias& alias, std::string pmu);
  void add_models(std::span<const tables::ModelView> models);
  void add_model(const tables::ModelView& model, std::span<const tables::ModelView> before);
  void add_own_events(const BoundPmu& bound);
  std::string core_of(const tables::ModelView& model) const;

  const detail::MachineState& state_;
  bool lists_all_;
  Glob glob_;
  std::vector<EventInfo> out_;
  std::set<const tables::Model*> models_;  // that are listed
  std::set<std::pair<std::string, std::string>>
      seen_;  // PMU and name of events that are not from the model
};

void Lister::add(const Alias& alias, std::string pmu) {
  EventInfo info;
  info.name = alias_name(alias);
  if (!glob_.matches(info.name)) return;
  if (alias.event == nullptr && !can_be_named(*alias.sysfs)) info.name = alias.sysfs->name;
  info.pmu = std::move(pmu);
  info.terms = alias_terms_text(alias);
  const ScaleUnit unit = scale_unit(alias);
  info.scale = unit.scale;
  info.unit = unit.unit;
  info.source = alias.source();
  if (alias.event != nullptr) {
    const tables::ArchTables& arch = alias.model.arch();
    const tables::Event& event = *alias.event;
    info.topic = arch.text(arch.traits_of(event).topic);
    info.desc = arch.text(event.desc);
    info.long_desc = arch.text(event.long_desc);
    info.per_pkg = (event.flags & tables::kPerPkg) != 0;
    info.deprecated = (event.flags & tables::kDeprecated) != 0;
    info.precise = precision_of(event);
    info.precise_address = (event.flags & tables::kPreciseAddress) != 0;
    info.errata = arch.text(arch.traits_of(event).errata);
    info.model = alias.model.name();
    info.directory = arch.directory;
  } else {
    info.per_pkg = alias.sysfs->per_pkg;
    info.desc = alias.sysfs->desc;
    if (info.desc.empty()) info.desc = kernel_description(state_, info.pmu, info.name);
  }
  out_.push_back(std::move(info));
}

/// Adds the events of a model that no earlier model replaces.
void Lister::add_model(const tables::ModelView& model, std::span<const tables::ModelView> before) {
  const std::string core = core_of(model);
  std::size_t count = 0;
  for (const tables::PmuEvents& list : model.pmus()) count += list.count;
  if (lists_all_) out_.reserve(out_.size() + count);
  for (const tables::PmuEvents& list : model.pmus()) {
    const std::string_view table = model.arch().text(list.pmu);
    for (std::size_t i = 0; i < list.count; ++i) {
      const tables::Event& event = model.event(list, i);
      if (before.empty() || !tables::has_event(before, table, model.arch().text(event.name)))
        add(Alias{model, &event}, table == "default_core" ? core : std::string(table));
    }
  }
}

/// Adds the events of models that are not listed yet.
void Lister::add_models(std::span<const tables::ModelView> models) {
  for (std::size_t i = 0; i < models.size(); ++i)
    if (models_.insert(models[i].model).second) add_model(models[i], models.first(i));
}

/// Returns the name of the core PMU that this model's events are for.
std::string Lister::core_of(const tables::ModelView& model) const {
  const auto is_it = [&](const tables::ModelView& one) { return one.model == model.model; };
  for (const BoundPmu& bound : state_.pmus)
    if (bound.pmu.is_core && std::ranges::any_of(bound.models, is_it)) return bound.pmu.name;
  return "cpu";
}

/// System events, and events that only sysfs has.
void Lister::add_own_events(const BoundPmu& bound) {
  for (const OtherEvent& system : bound.system) {
    const tables::ArchTables& arch = system.model.arch();
    const std::string pmu(arch.text(system.list->pmu));
    if (seen_.emplace(pmu, arch.text(system.event->name)).second)
      add(Alias{system.model, system.event, nullptr}, pmu);
  }
  for (const pmu::SysfsEvent& event : bound.pmu.events) {
    if (event.implied) continue;  // generic_events() has them
    const Alias alias = find_alias(bound, event.name);
    if (alias.event != nullptr) continue;
    std::string pmu = without_instance(bound.pmu);
    if (seen_.emplace(pmu, to_lower(event.name)).second)
      add(Alias{{}, nullptr, &event}, std::move(pmu));
  }
}

std::vector<EventInfo> Lister::run() {
  add_models(state_.models);
  for (const BoundPmu& bound : state_.pmus) {
    add_models(bound.models);
    add_own_events(bound);
  }
  if (out_.empty() && !lists_all_)
    for (const BoundPmu& bound : state_.possible_pmus()) add_own_events(bound);
  const auto before = [](const EventInfo& a, const EventInfo& b) {
    return std::tie(a.pmu, a.name) < std::tie(b.pmu, b.name);
  };
  if (!std::is_sorted(out_.begin(), out_.end(), before)) sort_stably(out_, before);
  return std::move(out_);
}

EventCode code_of(const BoundPmu& bound, const Alias& alias) {
  const tables::ArchTables& arch = alias.model.arch();
  EventCode out;
  out.pmu = bound.pmu.name;
  out.name = arch.text(alias.event->name);
  out.desc = arch.text(alias.event->desc);
  if (const auto packed = pack(bound, alias)) {
    out.code = make_code(bound.pmu.type.value_or(0), packed->config);
    out.code->has_type = bound.pmu.type.has_value();
  }
  out.is_core = bound.pmu.is_core;
  out.deprecated = (alias.event->flags & tables::kDeprecated) != 0;
  return out;
}

}  // namespace

std::vector<EventCode> event_codes(const Machine& machine) {
  std::vector<EventCode> out;
  for (const BoundPmu& bound : detail::state_of(machine).pmus) {
    const auto first = static_cast<std::ptrdiff_t>(out.size());
    bound.for_each_event([&](const tables::ModelView& model, const tables::Event& event) {
      const Alias alias = find_alias(bound, model.arch().text(event.name));
      if (alias.event == &event) out.push_back(code_of(bound, alias));  // else another list's
    });
    if (bound.models.size() > 1)
      std::ranges::stable_sort(out.begin() + first, out.end(), {}, &EventCode::name);
  }
  return out;
}

}  // namespace evname::machine

namespace evname {

std::vector<EventInfo> Machine::events(std::string_view glob) const {
  return machine::Lister(*state_, glob).run();
}

}  // namespace evname
