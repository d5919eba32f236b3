#include "complete/values.hpp"

#include <algorithm>
#include <iterator>

#include "complete/names.hpp"
#include "evname/annotate.hpp"
#include "evname/report.hpp"

namespace evname::tools {
namespace {

Answer models(const Place&) { return {How::words, model_names()}; }
Answer pmus(const Place& place) { return {How::words, pmu_names(place.machine)}; }
Answer files(const Place&) { return {How::files, {}}; }
Answer directories(const Place&) { return {How::directories, {}}; }

Answer event(const Place& place) { return {How::words, event_names(place.machine, place.typed)}; }
Answer events(const Place& place) { return {How::list, event_names(place.machine, place.typed)}; }

/// The candidates behind what is typed as far as its last comma.
Answer behind_comma(const Place& place, std::vector<Candidate> words) {
  const auto comma = place.typed.rfind(',');
  const std::string head = comma == place.typed.npos ? "" : place.typed.substr(0, comma + 1);
  for (Candidate& word : words) word.text.insert(0, head);
  return {How::list, std::move(words)};
}

Answer fields(const Place& place) {
  std::vector<Candidate> words;
  for (const FieldInfo& field : all_fields())
    words.push_back({std::string(field.name), std::string(field.what)});
  return behind_comma(place, std::move(words));
}

Answer sort_keys(const Place& place) {
  std::vector<Candidate> words;
  for (const std::string_view name : sort_key_names()) words.push_back({std::string(name), {}});
  return behind_comma(place, std::move(words));
}

struct Kind {
  std::string_view name;  ///< as help calls the value
  Answer (*answer)(const Place& place);
};
constexpr Kind kKinds[] = {{"CPU", models},    {"EVENT", event},    {"EVENTS", events},
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
