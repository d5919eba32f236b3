// Which counts are those of a metric's events.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "events/expression/operators.hpp"
#include "events/machine/lookup.hpp"
#include "events/scheduling/counters.hpp"
#include "events/scheduling/demand.hpp"
#include "events/syntax/modifiers.hpp"
#include "evname/attr.hpp"
#include "evname/metric.hpp"

namespace evname {
namespace {

/// The name without the modifiers after its last colon or slash.
std::string_view without_modifiers(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  if (slash != name.npos) return name.substr(0, slash + 1);
  const std::size_t colon = name.rfind(':');
  if (colon == name.npos) return name;
  const std::string_view letters = name.substr(colon + 1);
  if (!letters.empty() && !syntax::looks_like_modifiers(letters)) return name;
  return name.substr(0, colon);
}

/// PMU; type of a generic code that has none of the PMU's own; words; terms of what has no words.
using Key = std::tuple<std::string, std::uint32_t, ConfigWords, std::string>;

constexpr std::uint32_t kOwnCode = ~std::uint32_t{0};

/// The codes of an event text.
struct Codes {
  std::set<Key> keys;
  std::string modifiers;

  bool holds(const Codes& other) const {
    return !other.keys.empty() && std::ranges::includes(keys, other.keys);
  }
};

/// A generic event as each core PMU counts it.
void add_generic(const detail::MachineState& state, const Encoding& e, const Code& generic,
                 std::set<Key>& out) {
  const bool any = scheduling::is_on_any_core(e);
  for (std::size_t i = 0; i < state.pmus.size(); ++i) {
    const pmu::Pmu& pmu = state.pmus[i].pmu;
    if (!pmu.is_core || (!any && pmu.name != e.pmu)) continue;
    const auto own = is_type(generic, kTypeHardware)
                         ? machine::core_code(state, i, generic.config[0])
                         : std::nullopt;
    if (own)
      out.emplace(pmu.name, kOwnCode, ConfigWords{*own}, "");
    else
      out.emplace(pmu.name, generic.type, words_of(generic), "");
  }
}

Codes codes_of(const Machine& machine, std::span<const Encoding> encodings) {
  const detail::MachineState& state = detail::state_of(machine);
  Codes out;
  for (const Encoding& e : encodings) {
    const std::size_t before = out.keys.size();
    if (const auto generic = scheduling::generic_code(e)) add_generic(state, e, *generic, out.keys);
    if (out.keys.size() == before)
      out.keys.emplace(e.pmu, kOwnCode, words_of(e.code), e.has_config() ? "" : e.terms());
  }
  if (!encodings.empty()) out.modifiers = encodings.front().modifiers;
  return out;
}

/// Returns the factor that perf has multiplied the count with: that of the unit it shows.
double factor_of(const Counted& counted, std::span<const Encoding> encodings) {
  if (counted.unit == "msec") return 1e-6;  // clocks count ns
  if (counted.unit.empty()) return 1;
  for (const Encoding& e : encodings)
    if (e.unit == counted.unit && e.scale != 0) return e.scale;
  return 1;
}

/// Rows of a group that count the same: the first that has a value counts.
using SameRows = std::vector<std::size_t>;

/// The rows of a group whose sum an event is.
struct RowsOfEvent {
  std::vector<SameRows> parts;
  bool named = false;  ///< found by the event's name
};

template <class What>
RowsOfEvent rows_of(std::map<What, SameRows> parts, bool named) {
  RowsOfEvent out{{}, named};
  for (auto& [what, rows] : parts) out.parts.push_back(std::move(rows));
  return out;
}

double value_of(const MetricEvent& event, const Counted& counted) {
  const bool is_time = event.tool_time() != ToolTime::none;  // perf does not count a time of 0
  const bool zero = is_time && counted.state == Counted::State::not_counted;
  if (counted.state != Counted::State::counted && !zero) return expression::kNaN;
  if (is_time) return counted.unit == "s" ? counted.value : counted.value * 1e-9;
  return counted.value / factor_of(counted, event.encodings);
}

/// Adds up the rows. Of one, perf has summed over the units, or there is only one.
EventCount sum_of(const MetricEvent& event, const RowsOfEvent& rows, const CountGroup& group) {
  EventCount sum;
  for (const SameRows& part : rows.parts) {
    double value = expression::kNaN;
    const Counted* counted = nullptr;
    for (const std::size_t row : part) {
      counted = &group.counts[row];
      value = value_of(event, *counted);
      if (!std::isnan(value)) break;
    }
    sum.counters += counted->counters;
    if (!std::isnan(value)) sum.running = std::min(sum.running, counted->running);
    if (std::isnan(sum.value))
      sum.value = value;
    else if (!std::isnan(value))
      sum.value += value;
  }
  sum.sources = rows.parts.size() > 1 ? static_cast<unsigned>(rows.parts.size()) : 0;
  if (std::isnan(sum.value) && !rows.named && group.seconds > 0 &&
      event.tool_time() == ToolTime::elapsed)
    sum.value = group.seconds;
  return sum;
}

/// Finds the rows of events in a group. What the rows' values are makes no difference.
class RowFinder {
 public:
  RowFinder(const Machine& machine, const CountGroup& group) : machine_(machine), group_(group) {
    for (const Counted& counted : group.counts) names_.push_back(to_lower(counted.event));
    for (const std::string& name : names_) bare_names_.push_back(without_modifiers(name));
  }

  RowsOfEvent find(const MetricEvent& event) {
    const std::string name = to_lower(event.text);
    if (auto rows = of_name(event, name, {names_.begin(), names_.end()}); rows.named) return rows;
    if (without_modifiers(name) == name)
      if (auto rows = of_name(event, name, bare_names_); rows.named) return rows;
    return of_codes(event);
  }

 private:
  /// Over the PMUs that rows speak of. Events of several groups stand there several times.
  RowsOfEvent of_name(const MetricEvent& event, std::string_view name,
                      const std::vector<std::string_view>& names) const {
    std::map<std::string, SameRows> parts;
    for (std::size_t row = 0; row < names.size(); ++row)
      if (names[row] == name && can_be(event, group_.counts[row].pmu))
        parts[group_.counts[row].pmu].push_back(row);
    const bool is_named = !parts.empty();
    return rows_of(std::move(parts), is_named);
  }

  /// Another core PMU has events of the same name.
  bool can_be(const MetricEvent& event, std::string_view pmu) const {
    const auto is_core = [&](const machine::BoundPmu& bound) {
      return bound.pmu.is_core && bound.pmu.name == pmu;
    };
    return event.encodings.empty() ||
           std::ranges::find(event.encodings, pmu, &Encoding::pmu) != event.encodings.end() ||
           std::ranges::none_of(detail::state_of(machine_).pmus, is_core);
  }

  /// Without modifiers any will do, the same for all: perf adds `u` by itself where it may not
  /// count the kernel.
  RowsOfEvent of_codes(const MetricEvent& event) {
    if (event.encodings.empty()) return {};
    const Codes wanted = evname::codes_of(machine_, event.encodings);
    if (auto rows = of_codes(wanted, wanted.modifiers)) return std::move(*rows);
    if (wanted.modifiers.empty())
      for (const Counted& counted : group_.counts)
        if (const Codes& codes = codes_of(counted); wanted.holds(codes))
          if (auto rows = of_codes(wanted, codes.modifiers)) return std::move(*rows);
    return {};
  }

  /// Rows that are parts of the event, if together they are all of it.
  std::optional<RowsOfEvent> of_codes(const Codes& wanted, const std::string& modifiers) {
    std::map<std::set<Key>, SameRows> parts;
    std::set<Key> all;
    for (std::size_t row = 0; row < group_.counts.size(); ++row) {
      const Codes& codes = codes_of(group_.counts[row]);
      if (codes.modifiers != modifiers || !wanted.holds(codes)) continue;
      const auto is_seen = [&](const Key& key) { return all.contains(key); };
      if (!parts.contains(codes.keys) && std::ranges::any_of(codes.keys, is_seen)) continue;
      parts[codes.keys].push_back(row);
      all.insert(codes.keys.begin(), codes.keys.end());
    }
    if (all != wanted.keys) return std::nullopt;
    return rows_of(std::move(parts), false);
  }

  const Codes& codes_of(const Counted& counted) {
    const auto [at, is_new] = resolved_.try_emplace(counted.event);
    if (is_new)
      if (const auto encodings = machine_.resolve(counted.event))
        at->second = evname::codes_of(machine_, *encodings);
    return at->second;
  }

  const Machine& machine_;
  const CountGroup& group_;
  std::vector<std::string> names_;            ///< of the rows, in lower case
  std::vector<std::string_view> bare_names_;  ///< the same without modifiers
  std::map<std::string, Codes> resolved_;
};

}  // namespace

struct CountMatcher::State {
  Machine machine;
  std::span<const MetricEvent> events;
  std::vector<Counted> layout;  ///< the rows of the last group
  std::vector<RowsOfEvent> rows;
  std::vector<EventCount> counts;

  bool is_like_last(const CountGroup& group) const {
    return std::ranges::equal(group.counts, layout, [](const Counted& a, const Counted& b) {
      return a.event == b.event && a.pmu == b.pmu;
    });
  }

  void find_rows(const CountGroup& group) {
    RowFinder finder(machine, group);
    rows.clear();
    for (const MetricEvent& event : events) rows.push_back(finder.find(event));
    layout = group.counts;
  }
};

CountMatcher::CountMatcher(Machine machine, std::span<const MetricEvent> events)
    : state_(std::make_unique<State>(State{std::move(machine), events, {}, {}, {}})) {}
CountMatcher::CountMatcher(CountMatcher&&) noexcept = default;
CountMatcher& CountMatcher::operator=(CountMatcher&&) noexcept = default;
CountMatcher::~CountMatcher() = default;

std::span<const EventCount> CountMatcher::match(const CountGroup& group) {
  State& state = *state_;
  if (state.rows.empty() || !state.is_like_last(group)) state.find_rows(group);
  state.counts.clear();
  for (std::size_t i = 0; i < state.events.size(); ++i)
    state.counts.push_back(sum_of(state.events[i], state.rows[i], group));
  return state.counts;
}

std::vector<EventCount> match_counts(const Machine& machine, std::span<const MetricEvent> events,
                                     const CountGroup& group) {
  CountMatcher matcher(machine, events);
  const auto counts = matcher.match(group);
  return {counts.begin(), counts.end()};
}

}  // namespace evname
