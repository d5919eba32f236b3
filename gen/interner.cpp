#include "interner.hpp"

namespace evname::gen {
namespace {

/// The index of `value` in `values`, added if it is new.
template <class Known, class T>
std::uint32_t index_of(Known& known, std::vector<T>& values, const T& value) {
  const auto [at, added] = known.try_emplace(value, static_cast<std::uint32_t>(values.size()));
  if (added) values.push_back(value);
  return at->second;
}

}  // namespace

Interner::Interner(TableArrays& arrays)
    : arrays_(arrays), texts_(1 << 15, TextHash{}, TextEqual{this}) {
  texts_.insert({std::hash<std::string_view>{}({}), 0});
}

tables::Text Interner::text(std::string_view text) {
  wanted_ = text.substr(0, text.find('\0'));  // a text ends at its first zero byte
  KnownText known{std::hash<std::string_view>{}(wanted_), kNew};
  if (const auto at = texts_.find(known); at != texts_.end()) return at->offset;
  known.offset = static_cast<tables::Text>(arrays_.strings.size());
  arrays_.strings.append(wanted_);
  arrays_.strings.push_back('\0');
  texts_.insert(known);
  return known.offset;
}

std::uint32_t Interner::term(const TermSpec& spec) {
  const std::uint32_t name = index_of(term_names_, arrays_.term_names, text(spec.name));
  const tables::Term term{spec.number.value, text(spec.text), static_cast<std::uint16_t>(name),
                          spec.number.spelling, spec.numeric};
  return index_of(terms_, arrays_.terms, term);
}

std::uint32_t Interner::term_list(const std::vector<TermSpec>& specs) {
  std::vector<std::uint32_t> list;
  for (const TermSpec& spec : specs) list.push_back(term(spec));
  std::string key(reinterpret_cast<const char*>(list.data()), list.size() * sizeof list[0]);
  const auto first = static_cast<std::uint32_t>(arrays_.term_lists.size());
  const auto [at, added] = lists_.try_emplace(std::move(key), first);
  if (added) arrays_.term_lists.insert(arrays_.term_lists.end(), list.begin(), list.end());
  return at->second;
}

tables::Event Interner::event(const Entry& entry) {
  tables::Event event{};
  event.name = text(entry.name);
  event.desc = text(entry.desc);
  event.long_desc = entry.long_desc == entry.desc ? 0 : text(entry.long_desc);
  event.scale_unit = text(entry.scale_unit);
  event.compat = text(entry.compat);
  event.topic = text(entry.topic);
  event.terms = term_list(entry.terms);
  event.term_count = static_cast<std::uint16_t>(entry.terms.size());
  event.flags = static_cast<std::uint8_t>((entry.deprecated ? tables::kDeprecated : 0) |
                                          (entry.per_pkg ? tables::kPerPkg : 0));
  return event;
}

tables::Metric Interner::metric(const Entry& entry) {
  const MetricSpec& m = entry.metric;
  return {text(entry.pmu),       text(m.name),
          text(m.group),         text(m.expr),
          text(m.threshold),     text(entry.desc),
          text(entry.long_desc), text(entry.scale_unit),
          text(entry.compat),    text(m.no_group),
          text(m.default_group), m.aggregation,
          m.constraint,          0};
}

std::optional<std::uint8_t> Interner::counters(const tables::Counters& counters) {
  auto& known = arrays_.counters;
  std::size_t i = 0;
  while (i < known.size() && !BytesEqual{}(known[i], counters)) ++i;
  if (i == tables::kMaxCounterSets) return std::nullopt;
  if (i == known.size()) known.push_back(counters);
  return static_cast<std::uint8_t>(i);
}

std::uint32_t Interner::event_index(const tables::Event& event) {
  return index_of(events_, arrays_.events, event);
}

}  // namespace evname::gen
