// Makes the names of a recording's events distinct.

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "events/machine/lookup.hpp"
#include "events/packing/packer.hpp"
#include "events/syntax/kernel_names.hpp"
#include "recordings/perf_data/perf_names.hpp"

namespace evname::perf_data {
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

std::string_view RecordedEvent::bare_name() const {
  const std::string_view all = name;
  const bool has_pmu = named_by != NamedBy::code && all.size() > pmu.size() + 2 &&
                       all.starts_with(pmu) && all[pmu.size()] == '/' && all.ends_with('/');
  return has_pmu ? all.substr(pmu.size() + 1, all.size() - pmu.size() - 2) : all;
}

}  // namespace evname
