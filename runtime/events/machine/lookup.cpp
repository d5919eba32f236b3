#include "events/machine/lookup.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "events/machine/code_index.hpp"
#include "events/syntax/kernel_names.hpp"
#include "evname/attr.hpp"

namespace evname::machine {
namespace {

/// Returns the model and event of the first table that serves the PMU and has the event.
Alias find_table_event(const BoundPmu& bound, std::string_view name) {
  Alias found;
  if (bound.tables.empty()) return found;
  for (const tables::ModelView& model : bound.models) {
    tables::find_event(model, name, [&](const tables::EventHit& hit) {
      if (!found && bound.has(hit.pmu)) found = {model, hit.event};
    });
    if (found) break;
  }
  return found;
}

Alias find_other(const std::vector<OtherEvent>& events, std::string_view name) {
  for (const OtherEvent& other : events)
    if (equal_ignoring_case(other.model.arch().text(other.event->name), name))
      return Alias{other.model, other.event, nullptr};
  return {};
}

}  // namespace

std::string to_upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = is_letter(c) ? static_cast<char>(c & ~0x20) : c;
  return out;
}

const pmu::SysfsEvent* find_sysfs_event(const pmu::Pmu& pmu, std::string_view name) {
  for (const std::string& file : {to_lower(name), to_upper(name)}) {
    const auto at = std::ranges::lower_bound(pmu.events, file, {}, &pmu::SysfsEvent::name);
    if (at != pmu.events.end() && at->name == file) return &*at;
  }
  return nullptr;
}

bool can_be_named(const pmu::SysfsEvent& event) {
  return event.name == to_lower(event.name) || event.name == to_upper(event.name);
}

Alias find_alias(const BoundPmu& bound, std::string_view name) {
  if (const Alias system = find_other(bound.system, name)) return system;
  Alias own = find_table_event(bound, name);
  own.sysfs = find_sysfs_event(bound.pmu, name);
  if (own) return own;
  if (const Alias common = find_other(bound.common, name)) return common;
  return {{}, nullptr, nullptr, bound.pmu.is_core ? syntax::legacy_code(name) : std::nullopt};
}

std::string alias_name(const Alias& alias) {
  return to_lower(alias.event != nullptr ? alias.model.arch().text(alias.event->name)
                                         : std::string_view(alias.sysfs->name));
}

std::string alias_terms_text(const Alias& alias) {
  return alias.event != nullptr ? tables::terms_text(alias.model.arch(), *alias.event)
                                : alias.sysfs->terms;
}

Result<void> append_terms(const Alias& alias, std::vector<tables::Term>* terms) {
  if (alias.event != nullptr) {
    const tables::ArchTables& arch = alias.model.arch();
    for (const std::uint32_t index : tables::term_list(arch, *alias.event))
      terms->push_back(tables::term_of(arch, arch.terms[index]));
    return {};
  }
  if (alias.legacy) {
    terms->push_back({syntax::legacy_term(alias.legacy->type), tables::Term::Value::number,
                      alias.legacy->config});
    return {};
  }
  auto parsed = syntax::parse_terms(alias.sysfs->terms);
  if (!parsed)
    return fail(parsed.error().code, fmt::format("sysfs event '{}' can't be read: {}",
                                                 alias.sysfs->name, parsed.error().message));
  for (const tables::Term& term : *parsed) {
    terms->push_back(term);
    terms->back().offset = tables::Term::kNotInText;  // in the file's text it counts
  }
  return {};
}

Result<packing::Packed> pack(const BoundPmu& bound, const Alias& alias) {
  if (alias.event != nullptr) return bound.packer().pack(alias.model.arch(), *alias.event);
  std::vector<tables::Term> terms;
  if (const auto done = append_terms(alias, &terms); !done) return fail(done);
  return bound.packer().pack(terms);
}

std::vector<const pmu::SysfsEvent*> driver_events(const BoundPmu& bound, const ConfigWords& words) {
  std::vector<const pmu::SysfsEvent*> out;
  for (const pmu::SysfsEvent& event : bound.pmu.events)
    if (const auto packed = pack(bound, {{}, nullptr, &event}); packed && packed->config == words)
      out.push_back(&event);
  return out;
}

ScaleUnit parse_scale_unit(std::string_view text) {
  double value = 0;
  const std::size_t used = read_double(text, value);
  if (used == 0 || value - value != 0) return {1.0, text};  // "instr", "inf"
  if (value == 0) value = 1.0;                              // perf takes 0 for "not set"
  return {value, text.substr(used)};
}

ScaleUnit scale_unit(const Alias& alias) {
  if (alias.event != nullptr) {
    const tables::ArchTables& arch = alias.model.arch();
    if (const tables::Text unit = arch.traits_of(*alias.event).scale_unit; unit != 0)
      return parse_scale_unit(arch.text(unit));
  }
  if (alias.sysfs != nullptr) return {alias.sysfs->scale, alias.sysfs->unit};
  return {};
}

bool EventLookup::Found::add(const Hit& hit) {
  std::size_t at = size_;
  while (at > 0 && hits_[at - 1].pmu > hit.pmu) --at;
  if (at > 0 && hits_[at - 1].pmu == hit.pmu) return hits_[at - 1].served != hit.served;
  if (size_ == hits_.size()) return false;
  Hit* const here = hits_.data() + at;
  std::copy_backward(here, hits_.data() + size_, hits_.data() + size_ + 1);
  *here = hit;
  ++size_;
  return true;
}

const BoundPmu& EventLookup::Found::pmu(std::size_t i) const {
  return general_.empty() ? state_.pmus[hits_[i].pmu] : *general_[i].first;
}

Alias EventLookup::Found::alias(std::size_t i) const {
  return general_.empty() ? Alias{hits_[i].served->model, hits_[i].event, nullptr}
                          : general_[i].second;
}

EventLookup::EventLookup(const detail::MachineState& state) : state_(state) {
  for (const BoundPmu& bound : state.pmus) {
    for (const auto* list : {&bound.system, &bound.common})
      for (const OtherEvent& other : *list)
        others_.push_back(name_hash(other.model.arch().text(other.event->name)));
    for (const pmu::SysfsEvent& event : bound.pmu.events) others_.push_back(name_hash(event.name));
  }
  std::sort(others_.begin(), others_.end());
  add_tables();
}

void EventLookup::add_tables() {
  const auto served_by = [&](const tables::ModelView& model) -> Served& {
    for (Served& served : served_)
      if (served.model.model == model.model) return served;
    return served_.emplace_back(
        Served{model, std::vector<std::vector<std::uint16_t>>(model.pmus().size())});
  };
  for (const tables::ModelView& model : state_.models) served_by(model);
  for (std::size_t i = 0; i < state_.pmus.size(); ++i)
    for (const auto& [model, list] : state_.pmus[i].tables)
      served_by(model).pmus[static_cast<std::size_t>(list - model.pmus().data())].push_back(
          static_cast<std::uint16_t>(i));
  std::erase_if(served_, [](const Served& served) {
    return std::ranges::all_of(served.pmus, [](const auto& pmus) { return pmus.empty(); });
  });
}

/// Returns false if the PMUs have to be asked one by one.
bool EventLookup::find_in_tables(std::string_view name, std::uint32_t hash, Found& found) const {
  if (std::ranges::binary_search(others_, hash)) return false;
  bool simple = true;
  for (const Served& served : served_)
    tables::find_event(served.model, name, hash, [&](const tables::EventHit& hit) {
      const auto list = static_cast<std::size_t>(hit.pmu - served.model.pmus().data());
      for (const std::uint16_t pmu : served.pmus[list])
        simple = simple && found.add({pmu, &served, hit.event});
    });
  return simple;
}

EventLookup::Found EventLookup::find(std::string_view name, std::uint32_t hash) const {
  Found found(state_);
  const std::uint32_t known = hash != 0 ? hash : name_hash(name);
  if ((hash != 0 || !syntax::is_kernel_name(name, known)) && find_in_tables(name, known, found))
    return found;
  found.size_ = 0;
  for (const BoundPmu& bound : state_.pmus)
    if (const Alias alias = find_alias(bound, name)) found.general_.emplace_back(&bound, alias);
  return found;
}

std::optional<std::size_t> pmu_of_name(const detail::MachineState& state, std::string_view name) {
  for (std::size_t i = 0; i < state.pmus.size(); ++i)
    if (state.pmus[i].pmu.name == name) return i;
  for (std::size_t i = 0; i < state.pmus.size(); ++i)
    if (pmu::box_name(name, state.pmus[i].pmu) == name && !name.empty()) return i;
  return std::nullopt;
}

std::optional<std::size_t> pmu_of_type(const detail::MachineState& state, std::uint32_t type) {
  for (std::size_t i = 0; i < state.pmus.size(); ++i)
    if (state.pmus[i].pmu.type == type && (type != kTypeRaw || state.pmus[i].pmu.is_core)) return i;
  if (type != kTypeRaw) return std::nullopt;
  for (std::size_t i = 0; i < state.pmus.size(); ++i)
    if (state.pmus[i].pmu.is_core) return i;
  return std::nullopt;
}

std::optional<std::uint64_t> core_code(const detail::MachineState& state, std::size_t pmu,
                                       std::uint64_t hardware) {
  const BoundPmu& bound = state.pmus[pmu];
  if (!bound.pmu.is_core) return std::nullopt;
  const std::string_view model = bound.model() ? bound.model().name() : std::string_view();
  const auto found =
      tables::first_row(tables::FactLayers(state.facts), &tables::CpuFacts::generic_facts,
                        {state.cpu.arch, bound.pmu.name, state.cpu.cpuid, model});
  if (!found) return std::nullopt;
  const auto codes =
      found.facts->generic_codes.subspan(found.row->first_code, found.row->code_count);
  const auto of_event = std::ranges::equal_range(codes, hardware, {}, &tables::GenericCode::event);
  if (of_event.empty()) return std::nullopt;
  if (of_event.size() > 1)
    for (const tables::GenericCode& row : of_event)
      if (!state.index->find(state, pmu, {row.code}).empty()) return row.code;
  return of_event.front().code;
}

}  // namespace evname::machine
