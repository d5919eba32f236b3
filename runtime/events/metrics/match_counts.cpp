// Finds the counts of a metric's events.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "events/expression/operators.hpp"
#include "events/metrics/count_identity.hpp"
#include "events/syntax/modifiers.hpp"
#include "evname/metric.hpp"

namespace evname {
namespace metrics {

/// A row of a group, and the number that its value is to be divided by.
struct CountedRow {
  std::size_t index;
  double divisor;
};

/// Rows of a group that count the same: the first that has a value counts.
using SameRows = std::vector<CountedRow>;

/// The rows of a group whose sum an event is.
struct RowsOfEvent {
  std::vector<SameRows> parts;
  bool named = false;  ///< found by the event's name
};

}  // namespace metrics

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

using metrics::CodeKey;
using metrics::CountedCodes;
using metrics::CountedRow;
using metrics::RowsOfEvent;
using metrics::SameRows;

double value_of(const MetricEvent& event, const CountedEvent& counted, double divisor) {
  const bool is_time = event.tool_time() != ToolTime::none;  // perf does not count a time of 0
  if (is_time && counted.supported && !counted.is_counted()) return 0;
  return counted.value / divisor;
}

/// Adds up the rows. A single row is perf's sum over the units, or the only unit.
EventCount sum_of(const MetricEvent& event, const RowsOfEvent& rows, const CountGroup& group) {
  EventCount sum;
  for (const SameRows& part : rows.parts) {
    double value = expression::kNaN;
    const CountedEvent* counted = nullptr;
    for (const CountedRow& row : part) {
      counted = &group.counts[row.index];
      value = value_of(event, *counted, row.divisor);
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
  // perf 7.3 starts no clock for a command, and counts 0.
  if (event.tool_time() == ToolTime::elapsed && !(sum.value > 0) && group.seconds > 0)
    sum.value = group.seconds;
  return sum;
}

/// The codes of rows, by event and PMU.
using CodesOfRows = std::map<std::pair<std::string, std::string>, CountedCodes>;

/// Finds the rows of events in a group, independently of the rows' values.
class RowFinder {
 public:
  RowFinder(const Machine& machine, const CountGroup& group, CodesOfRows& resolved)
      : machine_(machine), group_(group), resolved_(resolved) {
    for (const CountedEvent& counted : group.counts) names_.push_back(to_lower(counted.event));
    for (const std::string& name : names_) bare_names_.push_back(without_modifiers(name));
  }

  RowsOfEvent find(const MetricEvent& event, const CountedCodes& wanted) {
    const std::string name = to_lower(event.text);
    if (auto rows = of_name(event, wanted, name, {names_.begin(), names_.end()}); rows.named)
      return rows;
    if (without_modifiers(name) == name)
      if (auto rows = of_name(event, wanted, name, bare_names_); rows.named) return rows;
    return of_codes(event, wanted);
  }

 private:
  /// Rows by event and box of a PMU.
  using Parts = std::map<std::pair<std::set<CodeKey>, std::string>, SameRows>;

  void add(std::size_t row, const CountedCodes& codes, const MetricEvent& event, Parts& parts) {
    const double divisor = divisor_of(group_.counts[row], codes, event);
    parts[{codes.keys, codes.box}].push_back({row, divisor});
  }

  /// A row of all boxes contains each box, so rows of single boxes are then left out.
  static RowsOfEvent rows_of(Parts parts, bool named) {
    RowsOfEvent out{{}, named};
    const std::set<CodeKey>* whole = nullptr;
    for (auto& [identity, rows] : parts) {
      if (whole != nullptr && *whole == identity.first) continue;
      if (identity.second.empty()) whole = &identity.first;
      out.parts.push_back(std::move(rows));
    }
    return out;
  }

  /// An event of the same name on another PMU is another event.
  RowsOfEvent of_name(const MetricEvent& event, const CountedCodes& wanted, std::string_view name,
                      const std::vector<std::string_view>& names) {
    Parts parts;
    for (std::size_t row = 0; row < names.size(); ++row) {
      if (names[row] != name) continue;
      const CountedCodes& codes = row_codes(row);
      if (codes.keys.empty() || wanted.keys.empty() || wanted.holds(codes))
        add(row, codes, event, parts);
    }
    const bool is_named = !parts.empty();
    return rows_of(std::move(parts), is_named);
  }

  /// An event without modifiers matches any modifiers, the same for all rows: perf itself adds `u`
  /// if it may not count the kernel.
  RowsOfEvent of_codes(const MetricEvent& event, const CountedCodes& wanted) {
    if (wanted.keys.empty()) return {};
    if (auto rows = of_codes(event, wanted, wanted.modifiers)) return std::move(*rows);
    if (wanted.modifiers.empty())
      for (std::size_t row = 0; row < group_.counts.size(); ++row)
        if (const CountedCodes& codes = row_codes(row); wanted.holds(codes))
          if (auto rows = of_codes(event, wanted, codes.modifiers)) return std::move(*rows);
    return {};
  }

  /// Rows that are parts of the event and together make all of it.
  std::optional<RowsOfEvent> of_codes(const MetricEvent& event, const CountedCodes& wanted,
                                      const std::string& modifiers) {
    Parts parts;
    std::set<std::set<CodeKey>> sets;
    std::set<CodeKey> all;
    for (std::size_t row = 0; row < group_.counts.size(); ++row) {
      const CountedCodes& codes = row_codes(row);
      if (codes.modifiers != modifiers || !wanted.holds(codes)) continue;
      const auto is_seen = [&](const CodeKey& key) { return all.contains(key); };
      if (!sets.contains(codes.keys) && std::ranges::any_of(codes.keys, is_seen)) continue;
      add(row, codes, event, parts);
      sets.insert(codes.keys);
      all.insert(codes.keys.begin(), codes.keys.end());
    }
    if (all != wanted.keys) return std::nullopt;
    return rows_of(std::move(parts), false);
  }

  const CountedCodes& row_codes(std::size_t row) {
    const CountedEvent& counted = group_.counts[row];
    const auto [at, is_new] = resolved_.try_emplace({counted.event, counted.pmu});
    if (is_new) at->second = metrics::codes_of(machine_, counted);
    return at->second;
  }

  const Machine& machine_;
  const CountGroup& group_;
  std::vector<std::string> names_;            ///< of the rows, in lower case
  std::vector<std::string_view> bare_names_;  ///< the same without modifiers
  CodesOfRows& resolved_;
};

}  // namespace

struct CountMatcher::State {
  Machine machine;
  std::vector<MetricEvent> events;
  std::vector<CountedCodes> wanted = {};  ///< parallel to events
  CodesOfRows resolved = {};
  std::vector<CountedEvent> layout = {};  ///< the rows of the last group
  std::vector<RowsOfEvent> rows = {};
  std::vector<EventCount> counts = {};
  std::vector<std::string> warnings = {};

  bool is_like_last(const CountGroup& group) const {
    return std::ranges::equal(group.counts, layout,
                              [](const CountedEvent& a, const CountedEvent& b) {
                                return a.event == b.event && a.pmu == b.pmu && a.unit == b.unit;
                              });
  }

  void find_rows(const CountGroup& group) {
    RowFinder finder(machine, group, resolved);
    rows.clear();
    for (std::size_t i = 0; i < events.size(); ++i)
      rows.push_back(finder.find(events[i], wanted[i]));
    layout = group.counts;
    for (const RowsOfEvent& found : rows)
      for (const SameRows& part : found.parts)
        for (const CountedRow& row : part)
          if (std::isnan(row.divisor)) warn_of_unit(group.counts[row.index]);
  }

  void warn_of_unit(const CountedEvent& row) {
    std::string text =
        fmt::format("{} is counted in '{}', which is no unit of that event: its count is left out",
                    row.event, row.unit);
    if (std::ranges::find(warnings, text) == warnings.end()) warnings.push_back(std::move(text));
  }
};

CountMatcher::CountMatcher(Machine machine, std::span<const MetricEvent> events)
    : state_(std::make_unique<State>(State{std::move(machine), {events.begin(), events.end()}})) {
  for (const MetricEvent& event : events)
    state_->wanted.push_back(metrics::codes_of(state_->machine, event));
}
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

std::span<const std::string> CountMatcher::warnings() const { return state_->warnings; }

std::vector<EventCount> match_counts(const Machine& machine, std::span<const MetricEvent> events,
                                     const CountGroup& group) {
  CountMatcher matcher(machine, events);
  const auto counts = matcher.match(group);
  return {counts.begin(), counts.end()};
}

}  // namespace evname
