#include "events/compiler/interner.hpp"

namespace evname::compiler {
namespace {

/// Returns the index of the run in `all`; appends it if it is new.
template <class Known, class T>
std::uint32_t first_of(Known& known, std::vector<T>& all, const std::vector<T>& run) {
  std::string key(reinterpret_cast<const char*>(run.data()), run.size() * sizeof(T));
  const auto [at, added] =
      known.try_emplace(std::move(key), static_cast<std::uint32_t>(all.size()));
  if (added) all.insert(all.end(), run.begin(), run.end());
  return at->second;
}

/// The index of `value` in `values`, added if it is new.
template <class Known, class T>
std::uint32_t index_of(Known& known, std::vector<T>& values, const T& value) {
  const auto [at, added] = known.try_emplace(value, static_cast<std::uint32_t>(values.size()));
  if (added) values.push_back(value);
  return at->second;
}

/// The same for few values, at most `most` of them.
template <class T>
std::optional<std::uint8_t> index8(std::vector<T>& values, const T& value, std::size_t most) {
  std::size_t i = 0;
  while (i < values.size() && std::memcmp(&values[i], &value, sizeof value) != 0) ++i;
  if (i == most) return std::nullopt;
  if (i == values.size()) values.push_back(value);
  return static_cast<std::uint8_t>(i);
}

}  // namespace

Interner::Interner(tables::TableArrays& arrays) : arrays_(arrays), texts_(arrays.strings) {
  traits_[{}] = 0;
}

void Interner::gather_term_names() {
  for (tables::Text& name : arrays_.term_names) {
    const std::string text(view(name));
    name = static_cast<tables::Text>(arrays_.strings.size());
    arrays_.strings.append(text).push_back('\0');
  }
}

std::uint16_t Interner::fitting(std::size_t number, std::string_view what) {
  if (number > UINT16_MAX) lack_ = what;
  return static_cast<std::uint16_t>(number);
}

template <class T>
std::uint16_t Interner::index16(IndexOf<T>& known, std::vector<T>& values, const T& value,
                                std::string_view what) {
  static_assert(tables::kMaxIndexed == UINT16_MAX + 1);
  if (values.size() < tables::kMaxIndexed)
    return static_cast<std::uint16_t>(index_of(known, values, value));
  const auto at = known.find(value);
  return fitting(at == known.end() ? tables::kMaxIndexed : at->second, what);
}

std::uint16_t Interner::term(const tables::Term& term) {
  using Value = tables::Term::Value;
  const auto name = index16(term_names_, arrays_.term_names, text(term.name), "names of terms");
  const bool is_text = term.value == Value::text || !term.text.empty();
  const auto spelling = term.value == Value::none ? tables::Spelling::bare
                        : is_text                 ? tables::Spelling::text
                        : term.is_decimal         ? tables::Spelling::decimal
                                                  : tables::Spelling::hex;
  const tables::StoredTerm stored{term.number, text(term.text), name, spelling,
                                  term.value != Value::text};
  return index16(terms_, arrays_.terms, stored, "different terms");
}

std::uint32_t Interner::term_list(const std::vector<tables::Term>& terms) {
  std::vector<std::uint16_t> list;
  for (const tables::Term& one : terms) list.push_back(term(one));
  return first_of(lists_, arrays_.term_lists, list);
}

std::optional<tables::Event> Interner::event(const Entry& entry) {
  lack_ = {};
  tables::Event event{};
  event.name = text(entry.name);
  event.desc = text(entry.desc);
  event.long_desc = entry.long_desc == entry.desc ? 0 : text(entry.long_desc);
  const tables::EventTraits traits{text(entry.topic), text(entry.scale_unit), text(entry.compat),
                                   text(entry.errata)};
  event.traits = index16(traits_, arrays_.event_traits, traits, "different topics and units");
  event.term_count = fitting(entry.terms.size(), "terms of one event");
  if (!lack_.empty()) return std::nullopt;
  event.terms = term_list(entry.terms);
  event.flags = entry.flags;
  if (entry.latency) event.latency = latency(*entry.latency);
  return lack_.empty() ? std::optional(event) : std::nullopt;
}

std::uint16_t Interner::symbol(const expression::Symbol& symbol, const Formula& formula) {
  std::string key = symbol.name;
  key.push_back(static_cast<char>(symbol.kind));
  if (const auto at = symbols_.find(key); at != symbols_.end()) return at->second;
  const std::uint16_t index = fitting(arrays_.symbols.size(), "names in expressions");
  if (!lack_.empty()) return 0;
  symbols_.emplace(std::move(key), index);
  const std::size_t inside = formula.text.find(symbol.name);  // npos: the text has escapes
  const tables::Text name = inside == std::string::npos
                                ? text(symbol.name)
                                : text(formula.text) + static_cast<tables::Text>(inside);
  arrays_.symbols.push_back({name, static_cast<std::uint16_t>(symbol.name.size()), symbol.kind, 0});
  return index;
}

std::uint32_t Interner::program(const Formula& formula) {
  const expression::Program& p = formula.program;
  if (p.steps.empty()) return 0;
  std::vector<std::uint16_t> list;
  for (const expression::Symbol& one : p.symbols) list.push_back(symbol(one, formula));
  if (!lack_.empty()) return 0;
  return index_of(programs_, arrays_.programs,
                  tables::Program{first_of(step_runs_, arrays_.steps, p.steps),
                                  first_of(number_runs_, arrays_.numbers, p.numbers),
                                  first_of(symbol_lists_, arrays_.symbol_lists, list),
                                  static_cast<std::uint16_t>(p.steps.size()),
                                  static_cast<std::uint16_t>(p.numbers.size()),
                                  static_cast<std::uint16_t>(list.size()), 0});
}

std::optional<tables::Metric> Interner::metric(const Entry& entry) {
  lack_ = {};
  const MetricSpec& m = entry.metric;
  tables::Metric metric{};
  metric.pmu = text(entry.pmu);
  metric.name = text(m.name);
  metric.group = text(m.group);
  metric.expr = text(m.expr.text);
  metric.threshold = text(m.threshold.text);
  metric.desc = text(entry.desc);
  metric.long_desc = entry.long_desc == entry.desc ? 0 : text(entry.long_desc);
  metric.unit = text(entry.scale_unit);
  metric.compat = text(entry.compat);
  metric.no_group = text(m.no_group);
  metric.default_group = text(m.default_group);
  metric.sample = text(m.sample);
  metric.share_of = m.share_of;
  metric.expr_program = program(m.expr);
  metric.threshold_program = program(m.threshold);
  metric.aggregation = m.aggregation;
  metric.constraint = m.constraint;
  metric.show_events = m.show_events;
  return lack_.empty() ? std::optional(metric) : std::nullopt;
}

std::optional<std::uint16_t> Interner::metric_index(const tables::Metric& metric) {
  lack_ = {};
  const std::uint16_t index = index16(metrics_, arrays_.metrics, metric, "different metrics");
  return lack_.empty() ? std::optional(index) : std::nullopt;
}

std::optional<std::uint8_t> Interner::counters(const tables::Counters& counters) {
  return index8(arrays_.counters, counters, tables::kMaxCounterSets);
}

std::uint8_t Interner::latency(const tables::Latency& latency) {
  return index8(arrays_.latencies, latency, tables::kMaxLatencies).value_or(0);
}

std::uint32_t Interner::event_index(const tables::Event& event) {
  return index_of(events_, arrays_.events, event);
}

}  // namespace evname::compiler
