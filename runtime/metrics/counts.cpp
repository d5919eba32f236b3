#include "evname/counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "metrics/count_rows.hpp"
#include "syntax/modifiers.hpp"

namespace evname {
namespace {

/// What people give to -x, most usual first.
constexpr std::string_view kSeparators[] = {",", ";", "\t", "|", ":", " "};

std::string guess_separator(const std::vector<std::string_view>& lines) {
  for (const std::string_view line : lines)
    for (const std::string_view separator : kSeparators)
      if (metrics::read_separated_row(line, separator)) return std::string(separator);
  return ",";
}

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

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

using Key = std::pair<std::string_view, ConfigWords>;

/// What an event text comes to.
struct Codes {
  std::set<Key> keys;
  std::string modifiers;

  explicit Codes(std::span<const Encoding> encodings = {}) {
    for (const Encoding& e : encodings) keys.emplace(e.pmu, words_of(e.code));
    if (!encodings.empty()) modifiers = encodings.front().modifiers;
  }
  /// Without modifiers any will do: perf adds `u` by itself where it may not count the kernel.
  bool is_counted_by(const Codes& other) const {
    return !keys.empty() && keys == other.keys &&
           (modifiers.empty() || modifiers == other.modifiers);
  }
};

/// What perf has multiplied the count with: the factor of the unit it shows.
double factor_of(const Counted& counted, std::span<const Encoding> encodings) {
  if (counted.unit == "msec") return 1e-6;  // clocks count ns
  if (counted.unit.empty()) return 1;
  for (const Encoding& e : encodings)
    if (e.unit == counted.unit && e.scale != 0) return e.scale;
  return 1;
}

class Matcher {
 public:
  Matcher(const Machine& machine, const CountGroup& group) : machine_(machine), group_(group) {}

  EventCount find(const MetricEvent& event) {
    const std::string name = to_lower(event.text);
    const std::string bare(without_modifiers(name));
    EventCount sum = sum_of(event, [&](const Counted& c) { return to_lower(c.event) == name; });
    if (sum.sources == 0)
      sum = sum_of(event, [&](const Counted& c) {
        return bare == name && without_modifiers(to_lower(c.event)) == bare;
      });
    if (sum.sources == 0 && !event.encodings.empty()) {
      const Codes codes(event.encodings);
      sum = sum_of(event, [&](const Counted& c) { return codes.is_counted_by(codes_of(c)); });
    }
    if (sum.sources == 1) sum.sources = 0;  // perf has summed over them, or there is one
    return sum;
  }

 private:
  /// Over the PMUs that rows speak of; else the first row counts. Events of several groups stand
  /// there several times.
  template <class Is>
  EventCount sum_of(const MetricEvent& event, Is is) const {
    EventCount sum;
    std::set<std::string_view> pmus;
    for (const Counted& counted : group_.counts) {
      if (!is(counted)) continue;
      const bool zero = event.is_tool() && counted.state == Counted::State::not_counted;
      const bool has_value = counted.state == Counted::State::counted || zero;
      const double value = has_value ? raw(counted, event) : kNaN;
      if (!pmus.insert(counted.pmu).second && !std::isnan(sum.value)) continue;
      if (std::isnan(sum.value))
        sum.value = value;
      else if (has_value)
        sum.value += value;
    }
    sum.sources = static_cast<unsigned>(pmus.size());
    return sum;
  }

  static double raw(const Counted& counted, const MetricEvent& event) {
    if (event.is_tool()) return counted.unit == "s" ? counted.value : counted.value * 1e-9;
    return counted.value / factor_of(counted, event.encodings);
  }

  const Codes& codes_of(const Counted& counted) {
    const auto [at, is_new] = resolved_.try_emplace(counted.event);
    if (is_new)
      if (const auto encodings = machine_.resolve(counted.event)) at->second = Codes(*encodings);
    return at->second;
  }

  const Machine& machine_;
  const CountGroup& group_;
  std::map<std::string, Codes> resolved_;
};

}  // namespace

Result<Counts> read_counts_text(std::string_view text, std::string_view separator) {
  metrics::CountTable table;
  const auto lines = split(text, '\n');
  const std::string between = separator.empty() ? guess_separator(lines) : std::string(separator);
  for (const std::string_view line : lines) {
    auto row = trim(line).starts_with('{') ? metrics::read_json_row(trim(line))
                                           : metrics::read_separated_row(line, between);
    if (row) table.add(std::move(*row));
  }
  if (!table.counts().empty()) return table.take();
  return fail(Errc::invalid_argument, "no counts of perf stat were found", {},
              "wanted: the output of perf stat -x, or --json, or a file of perf stat record");
}

std::vector<EventCount> match_counts(const Machine& machine, std::span<const MetricEvent> events,
                                     const CountGroup& group) {
  Matcher matcher(machine, group);
  std::vector<EventCount> out;
  for (const MetricEvent& event : events) out.push_back(matcher.find(event));
  return out;
}

}  // namespace evname
