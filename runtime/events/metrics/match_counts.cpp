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

/// Adds up rows: of those that count the same, the first that has a value.
class Sum {
 public:
  explicit Sum(const MetricEvent& event) : event_(event) {}

  template <class What>
  void add(const What& what, const Counted& counted, std::map<What, Counted>& seen) {
    const auto [at, is_new] = seen.try_emplace(what, counted);
    if (is_new || std::isnan(value_of(at->second))) at->second = counted;
  }

  template <class What>
  EventCount of(const std::map<What, Counted>& seen) const {
    EventCount sum;
    for (const auto& [what, counted] : seen) {
      const double value = value_of(counted);
      sum.counters += counted.counters;
      if (std::isnan(sum.value))
        sum.value = value;
      else if (!std::isnan(value))
        sum.value += value;
    }
    sum.sources = seen.size() > 1 ? static_cast<unsigned>(seen.size()) : 0;
    return sum;  // of one: perf has summed over them, or there is one
  }

 private:
  double value_of(const Counted& counted) const {
    const bool zero = event_.is_tool() && counted.state == Counted::State::not_counted;
    if (counted.state != Counted::State::counted && !zero) return expression::kNaN;
    if (event_.is_tool()) return counted.unit == "s" ? counted.value : counted.value * 1e-9;
    return counted.value / factor_of(counted, event_.encodings);
  }

  const MetricEvent& event_;
};

class Matcher {
 public:
  Matcher(const Machine& machine, const CountGroup& group) : machine_(machine), group_(group) {}

  EventCount find(const MetricEvent& event) {
    const std::string name = to_lower(event.text);
    const std::string_view bare = without_modifiers(name);
    if (const auto sum = of_name(event, [&](std::string_view n) { return n == name; })) return *sum;
    const auto is_bare = [&](std::string_view n) { return without_modifiers(n) == bare; };
    if (bare == name)
      if (const auto sum = of_name(event, is_bare)) return *sum;
    EventCount count = of_codes(event);
    if (std::isnan(count.value) && name == "duration_time" && group_.seconds > 0)
      count.value = group_.seconds;
    return count;
  }

 private:
  /// Over the PMUs that rows speak of. Events of several groups stand there several times.
  template <class Is>
  std::optional<EventCount> of_name(const MetricEvent& event, Is is) const {
    Sum sum(event);
    std::map<std::string, Counted> seen;
    for (const Counted& counted : group_.counts)
      if (is(to_lower(counted.event)) && can_be(event, counted.pmu))
        sum.add(counted.pmu, counted, seen);
    if (seen.empty()) return std::nullopt;
    return sum.of(seen);
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
  EventCount of_codes(const MetricEvent& event) {
    if (event.encodings.empty()) return {};
    const Codes wanted = evname::codes_of(machine_, event.encodings);
    if (auto sum = of_codes(event, wanted, wanted.modifiers)) return *sum;
    if (wanted.modifiers.empty())
      for (const Counted& counted : group_.counts)
        if (const Codes& codes = codes_of(counted); wanted.holds(codes))
          if (auto sum = of_codes(event, wanted, codes.modifiers)) return *sum;
    return {};
  }

  /// Rows that are parts of the event, if together they are all of it.
  std::optional<EventCount> of_codes(const MetricEvent& event, const Codes& wanted,
                                     const std::string& modifiers) {
    Sum sum(event);
    std::map<std::set<Key>, Counted> seen;
    std::set<Key> all;
    for (const Counted& counted : group_.counts) {
      const Codes& codes = codes_of(counted);
      if (codes.modifiers != modifiers || !wanted.holds(codes)) continue;
      const bool known = seen.contains(codes.keys);
      const auto is_seen = [&](const Key& key) { return all.contains(key); };
      if (!known && std::ranges::any_of(codes.keys, is_seen)) continue;
      sum.add(codes.keys, counted, seen);
      all.insert(codes.keys.begin(), codes.keys.end());
    }
    if (all != wanted.keys) return std::nullopt;
    return sum.of(seen);
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
  std::map<std::string, Codes> resolved_;
};

}  // namespace

std::vector<EventCount> match_counts(const Machine& machine, std::span<const MetricEvent> events,
                                     const CountGroup& group) {
  Matcher matcher(machine, group);
  std::vector<EventCount> out;
  for (const MetricEvent& event : events) out.push_back(matcher.find(event));
  return out;
}

}  // namespace evname
