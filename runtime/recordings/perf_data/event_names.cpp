#include "recordings/perf_data/perf_names.hpp"

#include <fmt/format.h>

#include "events/packing/decode.hpp"
#include "events/syntax/kernel_names.hpp"
#include "events/syntax/modifiers.hpp"

namespace evname::recording {
namespace {

using perfdata::Attr;

const std::string* mapped_pmu(const perfdata::Features& features, std::uint64_t type) {
  for (const auto& [number, name] : features.pmu_mappings)
    if (number == type) return &name;
  return nullptr;
}

std::string core_pmu(const Machine& machine) {
  for (const PmuInfo& pmu : machine.pmus())
    if (pmu.is_core) return pmu.name;
  return "cpu";
}

// On hybrid machines the upper half of a generic event's config is the type of the PMU it is for.
std::string pmu_of(const Attr& attr, const perfdata::Features& features, const Machine& machine) {
  if (attr.code.type == kTypeHardware || attr.code.type == kTypeHwCache) {
    const std::uint64_t extended = attr.code.config[0] >> 32;
    const std::string* name = extended ? mapped_pmu(features, extended) : nullptr;
    return name ? *name : std::string(syntax::generic_type_name(attr.code.type));
  }
  if (is_generic_type(attr.code.type))
    return std::string(syntax::generic_type_name(attr.code.type));
  if (const std::string* name = mapped_pmu(features, attr.code.type)) return *name;
  return attr.code.type == kTypeRaw ? core_pmu(machine) : fmt::format("type {}", attr.code.type);
}

std::string spelled_out(const Code& code, const std::string& pmu, const std::string& terms) {
  if (!terms.empty()) return fmt::format("{}/{}/", pmu, terms);
  return fmt::format("{}/{}/", pmu, packing::plain_terms(words_of(code)));
}

void name_by_code(const Machine& machine, RecordedEvent& event) {
  const CodeNames names = machine.names_of(event.code);
  event.exact = names.exact && !names.names.empty();
  event.named_by = event.exact ? NamedBy::tables : NamedBy::code;
  event.name = event.exact ? names.names.front() : spelled_out(event.code, event.pmu, names.terms);
}

RecordedEvent name_event(const perfdata::Event& recorded, const perfdata::Features& features,
                         const Machine& machine) {
  const Attr& attr = recorded.attr;
  RecordedEvent event;
  event.code = attr.code;
  event.pmu = pmu_of(attr, features, machine);
  event.ids = recorded.ids;

  const bool named = recorded.name && !recorded.name->empty();
  RecordedName said;
  if (named) {
    event.recorded_name = *recorded.name;
    const std::size_t colons = attr.code.type == kTypeTracepoint ? 1 : 0;
    said = is_generic_type(attr.code.type)
               ? read_generic_event_name(*recorded.name, colons)
               : read_pmu_event_name(*recorded.name, attr.code.config[0]);
    event.modifiers = said.modifiers;
  } else {
    event.modifiers = attr_modifiers(attr);
    event.recorded_name = attr_name(attr);
    if (is_generic_type(attr.code.type)) event.name = event.recorded_name;
    if (!event.modifiers.empty()) event.recorded_name += ':' + event.modifiers;
  }
  if (!event.name.empty()) event.named_by = NamedBy::kernel;
  if (!said.name.empty()) {
    event.name = said.name;
    event.named_by = NamedBy::recording;
  }
  if (event.name.empty()) name_by_code(machine, event);
  return event;
}

}  // namespace

std::vector<RecordedEvent> name_recorded_events(const perfdata::stream::File& file,
                                                const Machine& machine) {
  std::vector<RecordedEvent> events;
  events.reserve(file.events.size());
  for (const perfdata::Event& recorded : file.events.list()) {
    events.push_back(name_event(recorded, file.features, machine));
    events.back().attr = events.size() - 1;
  }
  tell_apart(events, file.events, machine);
  return events;
}

std::string description_of(const Machine& machine, const RecordedEvent& event) {
  std::string found;
  for (const EventInfo& info : machine.events(event.bare_name()))
    if (!info.desc.empty() && (found.empty() || info.pmu == event.pmu)) found = info.desc;
  return found;
}

}  // namespace evname::recording

namespace evname {

std::string RecordedEvent::full_name() const { return syntax::with_modifiers(name, modifiers); }

}  // namespace evname
