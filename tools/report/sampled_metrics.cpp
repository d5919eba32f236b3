// Metrics whose counts are the periods of samples.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/sorting.hpp"
#include "base/text.hpp"
#include "evname/metric.hpp"
#include "metrics/label.hpp"
#include "metrics/options.hpp"
#include "report/table.hpp"
#include "screen/screen.hpp"

namespace evname::tools {
namespace {

/// Adds the events of the recording that count events of the set.
void find_events(const Report& report, const Recording& file, SampledMetrics& out) {
  const std::span<const Report::Event> events = report.events();
  std::vector<std::size_t> places(events.size(), SIZE_MAX);
  for (const std::size_t event : events_counting(report, file, out.set)) {
    if (event != SIZE_MAX && places[event] == SIZE_MAX) {
      places[event] = out.events.size();
      out.events.push_back(event);
    }
    out.counted_by.push_back(event == SIZE_MAX ? SIZE_MAX : places[event]);
  }
}

/// Returns the metrics whose events all have samples in the recording; reports missing events.
std::vector<MetricInfo> with_all_events(const SampledMetrics& metrics, std::string_view option) {
  std::vector<MetricInfo> good;
  for (std::size_t i = 0; i < metrics.set.metrics().size(); ++i) {
    std::vector<std::string> missing;
    for (const std::size_t event : uncounted(metrics.set, i, metrics.counted_by))
      missing.push_back(metrics.set.events()[event].text);
    if (missing.empty())
      good.push_back(metrics.set.metrics()[i]);
    else
      tell_error("{} {}: the recording has no samples of {}", option, metric_label(metrics.set, i),
                 joined(missing, ", "));
  }
  return good;
}

void tell_events(const Report& report, const SampledMetrics& metrics) {
  std::set<std::string> told;
  for (std::size_t i = 0; i < metrics.counted_by.size(); ++i) {
    const std::string& text = metrics.set.events()[i].text;
    if (metrics.counted_by[i] == SIZE_MAX) continue;
    const std::string& name = report.events()[metrics.events[metrics.counted_by[i]]].name;
    if (name != text) told.insert(fmt::format("{} is {}", text, name));
  }
  if (!told.empty()) tell_note("{}", joined(told, "; "));
}

void add_rows(const Report& report, SampledMetrics& out) {
  std::map<std::vector<std::string>, std::size_t> index;
  for (const Report::Row& row : report.rows()) {
    const auto event = std::ranges::find(out.events, row.event);
    if (event == out.events.end() || row.samples == 0) continue;
    const std::vector<std::string> keys(row.keys.begin() + 1, row.keys.end());
    const auto [at, is_new] = index.try_emplace(keys, out.rows.size());
    if (is_new) out.rows.push_back({keys, std::vector<SampleSums>(out.events.size())});
    out.rows[at->second].events[static_cast<std::size_t>(event - out.events.begin())] += row;
  }
  std::vector<std::pair<std::uint64_t, std::size_t>> places;
  for (std::size_t i = 0; i < out.rows.size(); ++i)
    places.emplace_back(out.samples(Rows(&i, 1)), i);
  sort_stably(places, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<SampledMetrics::Row> sorted;
  for (const auto& [samples, i] : places)
    if (samples > 0) sorted.push_back(std::move(out.rows[i]));
  out.rows = std::move(sorted);
}

}  // namespace

std::uint64_t SampledMetrics::samples(Rows of) const {
  std::uint64_t sum = 0;
  for (std::size_t event = 0; event < events.size(); ++event) {
    if (std::ranges::find(counted_by, event) == counted_by.end()) continue;
    for (const std::size_t row : of) sum += rows[row].events[event].samples;
  }
  return sum;
}

SampledMetrics::Value SampledMetrics::value(std::size_t metric, Rows of) const {
  std::vector<SampleSums> sums(events.size());
  for (const std::size_t row : of)
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += rows[row].events[i];
  std::vector<EventCount> counts(set.events().size());
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counted_by[i] != SIZE_MAX)
      counts[i].value = static_cast<double>(sums[counted_by[i]].period);
  return {set.evaluate(counts)[metric], rarest(metric, of)};
}

std::uint64_t SampledMetrics::rarest(std::size_t metric, Rows of) const {
  std::uint64_t fewest = UINT64_MAX;
  for (const std::size_t event : set.events_of(metric)) {
    if (counted_by[event] == SIZE_MAX) continue;
    std::uint64_t sum = 0;
    for (const std::size_t row : of) sum += rows[row].events[counted_by[event]].samples;
    fewest = std::min(fewest, sum);
  }
  return fewest == UINT64_MAX ? 0 : fewest;
}

std::optional<SampledMetrics> sampled_metrics(const Report& report, const Recording& file,
                                              const std::vector<std::string>& wanted,
                                              std::string_view option) {
  const MetricFacts facts = recorded_facts(file);
  auto set = metric_set(file.machine(), facts, wanted);
  if (!set) return std::nullopt;
  MetricSet known(file.machine(), facts);
  const bool has_unknown =
      std::ranges::any_of(wanted, [&](const std::string& name) { return !known.add(name); });
  SampledMetrics out{std::move(*set), {}, {}, {}, has_unknown};
  find_events(report, file, out);
  const std::vector<MetricInfo> good = with_all_events(out, option);
  if (good.empty()) return std::nullopt;
  if (good.size() < out.set.metrics().size()) {
    MetricSet whole(file.machine(), facts);
    for (const MetricInfo& metric : good)
      if (!whole.add(metric.name, metric.pmu)) return std::nullopt;
    out = {std::move(whole), {}, {}, {}, true};
    find_events(report, file, out);
  }
  tell_events(report, out);
  add_rows(report, out);
  return out;
}

}  // namespace evname::tools
