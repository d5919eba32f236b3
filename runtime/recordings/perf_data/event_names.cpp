// Names the events of a recording, and makes the names distinct.

#include "recordings/perf_data/perf_names.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/access.hpp"
#include "base/text.hpp"
#include "events/machine/lookup.hpp"
#include "events/machine/machine_state.hpp"
#include "events/packing/packer.hpp"
#include "events/syntax/events.hpp"
#include "events/syntax/kernel_names.hpp"
#include "events/syntax/modifiers.hpp"
#include "events/syntax/term_names.hpp"

namespace evname::perf_data {
namespace {

using perf_format::Attr;

const std::string* mapped_pmu(const perf_format::Features& features, std::uint64_t type) {
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
std::string pmu_of(const Attr& attr, const perf_format::Features& features,
                   const Machine& machine) {
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

/// Returns true if each field of the PMU that the text names has this value in the code. The other
/// fields have defaults of driver and perf, which a recording does not contain.
bool agrees(const pmu::Pmu& pmu, const std::string& text, const Code& code) {
  const auto groups = syntax::parse_events(text);
  if (!groups || groups->front().specs.front().name != pmu.name) return false;
  const ConfigWords config = words_of(code);
  return std::ranges::all_of(groups->front().specs.front().terms, [&](const tables::Term& term) {
    if (syntax::is_sampling_term(term.name)) return true;
    const pmu::Format* const field = pmu.find_format(term.name);
    const std::uint64_t value = term.value == tables::Term::Value::none ? 1 : term.number;
    return field != nullptr && term.value != tables::Term::Value::text &&
           field->word < config.size() && field->extract(config[field->word]) == value;
  });
}

/// Returns the event's PMU if it has no events, only fields with defaults (intel_pt); else nullptr.
const pmu::Pmu* tracer_of(const Machine& machine, const RecordedEvent& event) {
  for (const machine::BoundPmu& bound : detail::state_of(machine).pmus)
    if (bound.pmu.name == event.pmu && packing::has_defaults(bound.pmu)) return &bound.pmu;
  return nullptr;
}

/// Tells how a recorded text of the form PMU/terms/ relates to the code of its event.
enum class Says : std::uint8_t { nothing, code, event };

Says what_says(const Machine& machine, const std::string& text, const RecordedEvent& event) {
  if (text.find('/') == text.npos) return Says::nothing;
  if (const pmu::Pmu* const tracer = tracer_of(machine, event))
    return agrees(*tracer, text, event.code) ? Says::event : Says::nothing;
  const auto found = machine.resolve(text);
  if (!found || found->size() != 1) return Says::nothing;
  const Encoding& read = found->front();
  if (read.pmu != event.pmu || words_of(read.code) != words_of(event.code)) return Says::nothing;
  return read.source == Source::raw ? Says::code : Says::event;
}

/// Returns true if terms set a whole word: the bits of several fields, or of none.
bool has_whole_word(std::string_view terms) {
  return std::ranges::any_of(split(terms, ','),
                             [](std::string_view term) { return term.starts_with("config"); });
}

/// Names an event by the first of these that exists: the name of exactly its code; the recorded
/// text, if it is an event with fields that the user set; such an event of the machine; the fields,
/// or the recorded text if it has fields where the terms have a number.
void name_by_code(const Machine& machine, const std::string& text, RecordedEvent& event) {
  const CodeNames names = machine.names_of(event.code);
  event.exact = names.exact && !names.names.empty();
  event.named_by = event.exact ? NamedBy::tables : NamedBy::code;
  if (event.exact) {
    event.name = names.names.front();
    return;
  }
  const Says says = what_says(machine, text, event);
  if (says == Says::event || (says == Says::code && names.names.empty() &&
                              has_whole_word(names.terms) && !has_whole_word(text))) {
    event.name = text;
    event.named_by = NamedBy::recording;
  } else if (!names.names.empty()) {
    event.name = fmt::format("{}/{},{}/", event.pmu, names.names.front(), names.qualifiers);
  } else {
    event.name = spelled_out(event.code, event.pmu, names.terms);
  }
}

RecordedEvent name_event(const perf_format::Event& recorded, const perf_format::Features& features,
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
    const pmu::Pmu* const tracer = tracer_of(machine, event);
    const bool is_field = tracer != nullptr && recorded.name->find('/') != std::string::npos &&
                          (said.name == tracer->name || tracer->find_format(said.name) != nullptr);
    if (is_field) said.name = {};
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
  if (event.name.empty()) {
    std::string_view text = named ? std::string_view(*recorded.name) : std::string_view();
    if (text.ends_with(said.modifiers)) text.remove_suffix(said.modifiers.size());
    if (text.ends_with("/:")) text.remove_suffix(1);
    name_by_code(machine, std::string(text), event);
  }
  return event;
}

}  // namespace

std::vector<RecordedEvent> name_recorded_events(const stream::File& file, const Machine& machine) {
  std::vector<RecordedEvent> events;
  events.reserve(file.events.size());
  for (const perf_format::Event& recorded : file.events.list()) {
    events.push_back(name_event(recorded, file.features, machine));
    events.back().attr = events.size() - 1;
  }
  tell_apart(events, file.events, machine);
  return events;
}

std::string description_of(const Machine& machine, const RecordedEvent& event) {
  const bool is_generic = event.pmu == syntax::generic_type_name(event.code.type);
  for (const EventInfo& info :
       is_generic ? machine.kernel_events(event.bare_name()) : machine.events(event.bare_name()))
    if (info.pmu == event.pmu) return info.desc;
  return {};
}

namespace {

/// Returns true if perf's syntax accepts the PMU before slashes: it is not a kind of generic
/// events, and its name is recorded.
bool has_pmu_word(const RecordedEvent& event) {
  return event.pmu != syntax::generic_type_name(event.code.type) &&
         event.pmu.find(' ') == event.pmu.npos;
}

/// Returns true if the name is one word, which perf's parser finds on each PMU that has it.
bool is_word(std::string_view name) {
  constexpr std::size_t kLongest = 256;
  return !name.empty() && name.size() < kLongest && std::ranges::all_of(name, [](char letter) {
    return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
           (letter >= 'A' && letter <= 'Z') || letter == '_' || letter == '-' || letter == '.';
  });
}

/// Looks for the PMUs that have an event of a name.
class Namesakes {
 public:
  Namesakes(const std::vector<RecordedEvent>& events, const Machine& machine)
      : state_(detail::state_of(machine)) {
    const auto is_core = [](const machine::BoundPmu& bound) { return bound.pmu.is_core; };
    cores_ = std::ranges::count_if(state_.pmus, is_core);
    for (const RecordedEvent& event : events)
      if (event.named_by != NamedBy::code) recorded_[event.name].insert(event.pmu);
  }

  /// Returns true if another PMU of the recording or of the machine has an event of this name.
  bool has_other(const RecordedEvent& event) const {
    return recorded_.at(event.name).size() > 1 ||
           (is_one_of_several(event.pmu) && is_elsewhere(event));
  }

 private:
  /// Returns true for all PMUs but the only core PMU of a machine, whose events need not be looked
  /// up.
  bool is_one_of_several(std::string_view pmu) const {
    for (const machine::BoundPmu& own : state_.pmus)
      if (own.pmu.name == pmu) return cores_ > 1 || !own.pmu.is_core;
    return false;
  }
  bool is_elsewhere(const RecordedEvent& event) const {
    const auto found = state_.lookup().find(event.name, 0);
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found.pmu(i).pmu.name != event.pmu) return true;
    return false;
  }

  const detail::MachineState& state_;
  std::ptrdiff_t cores_ = 0;
  std::map<std::string, std::set<std::string>, std::less<>> recorded_;
};

/// The identity of an event in its recording.
auto identity_of(const RecordedEvent& event, const perf_format::Attr& attr) {
  return std::tuple(event.pmu, words_of(event.code), event.code.type, event.modifiers,
                    attr.sample_period, attr.has(perf_format::kFreq));
}

/// Returns the recorded name without its modifiers; "" if it does not end with them.
std::string_view recorded_word(const RecordedEvent& event) {
  std::string_view name = event.recorded_name;
  if (!name.ends_with(event.modifiers)) return {};
  name.remove_suffix(event.modifiers.size());
  if (name.ends_with(':')) name.remove_suffix(1);
  return name;
}

/// Returns the code in perf's syntax, with the given name.
std::string code_with_name(const RecordedEvent& event, const Machine& machine) {
  if (!has_pmu_word(event)) return fmt::format("{}:{:#x}", event.code.type, event.code.config[0]);
  std::string terms = machine.names_of(event.code).terms;
  if (terms.empty()) terms = packing::plain_terms(words_of(event.code));
  return is_word(event.name) ? fmt::format("{}/{},name={}/", event.pmu, terms, event.name)
                             : fmt::format("{}/{}/", event.pmu, terms);
}

/// Gives events of one name and different codes the names that were recorded, if these differ, or
/// their codes.
void tell_codes_apart(std::span<RecordedEvent*> alike, const perf_format::Events& attrs,
                      const Machine& machine) {
  const auto differ = [&](auto&& key) {
    std::set<std::decay_t<decltype(key(*alike[0]))>> keys;
    for (const RecordedEvent* event : alike) keys.insert(key(*event));
    return keys.size();
  };
  const std::size_t identities =
      differ([&](const RecordedEvent& e) { return identity_of(e, attrs.list()[e.attr].attr); });
  if (identities < 2) return;
  const bool by_record =
      differ([](const RecordedEvent& e) { return recorded_word(e); }) == identities &&
      std::ranges::none_of(alike, [](const RecordedEvent* e) { return recorded_word(*e).empty(); });
  for (RecordedEvent* event : alike)
    event->name = by_record ? std::string(recorded_word(*event)) : code_with_name(*event, machine);
}

}  // namespace

std::string name_with_pmu(const RecordedEvent& event) {
  return fmt::format("{}/{}/{}", event.pmu, event.bare_name(), event.modifiers);
}

void tell_apart(std::vector<RecordedEvent>& events, const perf_format::Events& attrs,
                const Machine& machine) {
  const Namesakes namesakes(events, machine);
  for (RecordedEvent& event : events)
    if (event.named_by != NamedBy::code && has_pmu_word(event) && namesakes.has_other(event))
      event.name = fmt::format("{}/{}/", event.pmu, event.name);
  std::map<std::string, std::vector<RecordedEvent*>> by_name;
  for (RecordedEvent& event : events) by_name[event.full_name()].push_back(&event);
  for (auto& [name, alike] : by_name)
    if (alike.size() > 1) tell_codes_apart(alike, attrs, machine);
}

}  // namespace evname::perf_data

namespace evname {

std::string RecordedEvent::full_name() const { return syntax::with_modifiers(name, modifiers); }

std::string_view RecordedEvent::bare_name() const {
  const std::string_view all = name;
  const bool has_pmu = named_by != NamedBy::code && all.size() > pmu.size() + 2 &&
                       all.starts_with(pmu) && all[pmu.size()] == '/' && all.ends_with('/');
  return has_pmu ? all.substr(pmu.size() + 1, all.size() - pmu.size() - 2) : all;
}

}  // namespace evname
