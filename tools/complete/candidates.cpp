#include "complete/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "base/text.hpp"
#include "evname/annotate.hpp"
#include "evname/event_text.hpp"
#include "evname/models.hpp"
#include "evname/perf_type.hpp"
#include "evname/report.hpp"

namespace evname::tools {
namespace {

/// The models of --cpu.
std::vector<Candidate> model_names() {
  std::vector<Candidate> out;
  for (const ModelInfo& model : models()) {
    out.push_back({std::string(model.name), std::string(model.arch)});
    for (const std::string_view name : model.short_names)
      out.push_back({std::string(name), std::string(model.name)});
  }
  return out;
}

/// Where the last item of "a,{b,pmu/x=1,y=2/,c" begins; npos: inside the terms of a PMU.
std::size_t last_item(std::string_view typed) {
  std::size_t begin = 0;
  bool in_terms = false;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    if (typed[i] == '/') in_terms = !in_terms;
    if (!in_terms && (typed[i] == ',' || typed[i] == '{')) begin = i + 1;
  }
  return in_terms ? typed.npos : begin;
}

/// For a glob of models, as `evname emit` takes it, the first of them.
MachineOptions of_one_model(MachineOptions options) {
  if (options.cpu.find('*') == options.cpu.npos) return options;
  const std::string glob = to_lower(options.cpu);
  for (const Candidate& model : model_names())
    if (glob_match(glob, to_lower(model.text))) {
      options.cpu = model.text;
      break;
    }
  return options;
}

/// `name` from where `typed` ends, in capitals if that is.
std::string rest_of(std::string name, std::string_view typed) {
  const bool capitals = to_lower(typed) != typed &&
                        std::ranges::none_of(typed, [](char c) { return c >= 'a' && c <= 'z'; });
  name.erase(0, typed.size());
  if (capitals)
    for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return name;
}

/// The kernel's own names; every machine has them.
void add_generic(std::map<std::string, std::string>& names) {
  for (GenericEvent& event : generic_events())
    if (event.type != kTypeHwCache)
      names.emplace(std::move(event.name), fmt::format("{} event", event.pmu));
}

/// Names of PMUs.
std::vector<Candidate> pmu_names(const MachineOptions& options) {
  std::vector<Candidate> out;
  const auto machine = options.open();
  if (!machine) return out;
  for (const PmuInfo& pmu : machine->pmus()) out.push_back({pmu.name, {}});
  return out;
}

/// Names of events that go on as typed (any case), for the last item of an event list: after the
/// last comma or brace outside slashes. Nothing where modifiers or terms are typed.
std::vector<Candidate> event_names(const MachineOptions& options, std::string_view typed) {
  const std::size_t begin = last_item(typed);
  if (begin == typed.npos) return {};
  const std::string_view item = typed.substr(begin);
  if (item.find_first_of(":/}*?[\\") != item.npos) return {};
  const auto machine = of_one_model(options).open();
  if (!machine) return {};
  std::map<std::string, std::string> names;
  for (EventInfo& event : machine->events(std::string(item) + "*"))
    names.emplace(std::move(event.name), std::move(event.desc));
  add_generic(names);
  std::vector<Candidate> out;
  const std::string lower = to_lower(item);
  for (auto& [name, about] : names)
    if (to_lower(name).starts_with(lower))
      out.push_back({std::string(typed) + rest_of(name, item), std::move(about)});
  return out;
}

Answer cpus(const Place&) { return {How::words, model_names()}; }
Answer pmus(const Place& place) { return {How::words, pmu_names(place.machine)}; }
Answer files(const Place&) { return {How::files, {}}; }
Answer directories(const Place&) { return {How::directories, {}}; }

Answer event(const Place& place) { return {How::words, event_names(place.machine, place.typed)}; }
Answer events(const Place& place) { return {How::list, event_names(place.machine, place.typed)}; }

/// The candidates after what is typed as far as its last comma.
Answer after_comma(const Place& place, std::vector<Candidate> words) {
  const auto comma = place.typed.rfind(',');
  const std::string head = comma == place.typed.npos ? "" : place.typed.substr(0, comma + 1);
  for (Candidate& word : words) word.text.insert(0, head);
  return {How::list, std::move(words)};
}

Answer fields(const Place& place) {
  std::vector<Candidate> words;
  for (const FieldInfo& field : all_fields())
    words.push_back({std::string(field.name), std::string(field.what)});
  return after_comma(place, std::move(words));
}

Answer sort_keys(const Place& place) {
  std::vector<Candidate> words;
  for (const std::string_view name : sort_key_names()) words.push_back({std::string(name), {}});
  return after_comma(place, std::move(words));
}

struct Kind {
  std::string_view name;  ///< as help calls the value
  Answer (*answer)(const Place& place);
};
constexpr Kind kKinds[] = {{"CPU", cpus},      {"EVENT", event},    {"EVENTS", events},
                           {"GLOB", event},    {"FILE", files},     {"DIR", directories},
                           {"FIELDS", fields}, {"KEYS", sort_keys}, {"PMU", pmus}};

const Kind* find_kind(std::string_view name) {
  const auto* kind = std::ranges::find(kKinds, name, &Kind::name);
  return kind == std::end(kKinds) ? nullptr : kind;
}

}  // namespace

Answer values_of(const Place& place) {
  Answer answer;
  for (std::string& value : place.option.values())
    answer.candidates.push_back({std::move(value), {}});
  if (!answer.candidates.empty()) return answer;
  const Kind* kind = find_kind(place.option.value_name());
  if (kind == nullptr) kind = find_kind(place.option.argument_name());
  return kind == nullptr ? answer : kind->answer(place);
}

}  // namespace evname::tools
