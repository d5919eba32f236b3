// Metrics whose counts are the periods of samples.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/text.hpp"
#include "evname/metric.hpp"
#include "metrics/options.hpp"
#include "report/table.hpp"
#include "screen/screen.hpp"

namespace evname::tools {
namespace {

/// What the kernel counts for a generic event, by the names that makers give it. Source:
/// intel_perfmon_event_map of arch/x86/events/intel/core.c, amd_zen1_perfmon_event_map of
/// arch/x86/events/amd/core.c, armv8_pmuv3_perf_map of drivers/perf/arm_pmuv3.c,
/// power9_generic_events of arch/powerpc/perf/power9-pmu.c.
constexpr struct {
  std::string_view generic;
  std::string_view names[5];
} kGeneric[] = {
    {"cycles",
     {"cpu_clk_unhalted.thread", "cpu_clk_unhalted.core", "ls_not_halted_cyc", "cpu_cycles",
      "pm_cyc"}},
    {"instructions", {"inst_retired.any", "ex_ret_instr", "inst_retired", "pm_inst_cmpl"}},
    {"branches", {"br_inst_retired.all_branches", "ex_ret_brn", "br_retired", "pm_br_cmpl"}},
    {"branch-misses",
     {"br_misp_retired.all_branches", "ex_ret_brn_misp", "br_mis_pred", "pm_br_mpred_cmpl"}},
    {"cache-references", {"longest_lat_cache.reference", "l1d_cache"}},
    {"cache-misses", {"longest_lat_cache.miss", "l1d_cache_refill"}},
};

/// The event by its code, as perf takes it.
std::string code_text(const RecordedEvent& event) {
  std::string words = fmt::format("config={:#x}", event.code.config[0]);
  for (std::size_t i = 1; i < 4; ++i)
    if (event.code.config[i] != 0) words += fmt::format(",config{}={:#x}", i, event.code.config[i]);
  return fmt::format("{}/{}/{}", event.pmu, words, event.modifiers);
}

/// What an event may be called, best first.
std::vector<std::string> texts_of(const RecordedEvent& event) {
  std::vector<std::string> texts = {event.full_name(), code_text(event)};
  for (const auto& row : kGeneric) {
    if (event.name != row.generic) continue;
    for (const std::string_view name : row.names)
      if (!name.empty())
        texts.push_back(
            fmt::format("{}{}{}", name, event.modifiers.empty() ? "" : ":", event.modifiers));
  }
  return texts;
}

/// Which of the set's events a recorded one counts, each by its index.
std::vector<std::size_t> counted_by(const Machine& machine, const MetricSet& set,
                                    const RecordedEvent& event) {
  std::vector<std::size_t> found;
  for (const std::string& text : texts_of(event)) {
    CountGroup group;
    group.counts.push_back({text, "", "", 1, Counted::State::counted});
    const auto counts = match_counts(machine, set.events(), group);
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (counts[i].value == 1) found.push_back(i);
    if (!found.empty()) break;
  }
  return found;
}

/// Of several that count the same, as for the kernel and for users, the one with most samples.
void find_events(const Report& report, const PerfData& file, SampledMetrics& out) {
  std::vector<std::uint64_t> samples;
  out.counted_by.assign(out.set.events().size(), SIZE_MAX);
  for (const ReportEvent& event : report.events()) {
    const auto counted = counted_by(file.machine(), out.set, event.event);
    if (counted.empty()) continue;
    out.events.push_back(event.event.full_name());
    samples.push_back(event.samples);
    for (const std::size_t i : counted)
      if (out.counted_by[i] == SIZE_MAX || samples[out.counted_by[i]] < event.samples)
        out.counted_by[i] = samples.size() - 1;
  }
}

/// Returns the metrics whose events the recording all has samples of; reports which events lack.
std::vector<std::string> with_all_events(const SampledMetrics& metrics, std::string_view option) {
  std::vector<std::string> good;
  for (std::size_t i = 0; i < metrics.set.metrics().size(); ++i) {
    const std::string name(metrics.set.metrics()[i].name);
    std::vector<std::string> missing;
    for (const std::size_t event : metrics.set.events_of(i)) {
      const MetricEvent& needed = metrics.set.events()[event];
      if (metrics.counted_by[event] == SIZE_MAX && !needed.for_threshold)
        missing.push_back(needed.text);
    }
    if (missing.empty())
      good.push_back(name);
    else
      tell_error("{} {}: the recording has no samples of {}", option, name, joined(missing, ", "));
  }
  return good;
}

void tell_events(const SampledMetrics& metrics) {
  std::set<std::string> told;
  for (std::size_t i = 0; i < metrics.counted_by.size(); ++i) {
    const std::string& text = metrics.set.events()[i].text;
    if (metrics.counted_by[i] == SIZE_MAX || metrics.events[metrics.counted_by[i]] == text)
      continue;
    told.insert(fmt::format("{} is {}", text, metrics.events[metrics.counted_by[i]]));
  }
  if (!told.empty()) tell_note("{}", joined(told, "; "));
}

void add_rows(const Report& report, SampledMetrics& out) {
  std::map<std::string, std::size_t> index_of_event;
  for (std::size_t i = 0; i < out.events.size(); ++i) index_of_event[out.events[i]] = i;
  std::map<std::vector<std::string>, std::size_t> index;
  for (const ReportRow& row : report.rows()) {
    const auto event = index_of_event.find(row.keys[0]);
    if (event == index_of_event.end() || row.samples == 0) continue;
    const std::vector<std::string> keys(row.keys.begin() + 1, row.keys.end());
    const auto [at, is_new] = index.try_emplace(keys, out.rows.size());
    if (is_new) out.rows.push_back({keys, std::vector<SampleSums>(out.events.size())});
    out.rows[at->second].events[event->second] += row;
  }
  std::vector<std::pair<std::uint64_t, std::size_t>> places;
  for (std::size_t i = 0; i < out.rows.size(); ++i)
    places.emplace_back(out.samples(Rows(&i, 1)), i);
  std::ranges::stable_sort(places, std::greater<>(), [](const auto& place) { return place.first; });
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
    if (counted_by[event] == SIZE_MAX || set.events()[event].for_threshold) continue;
    std::uint64_t sum = 0;
    for (const std::size_t row : of) sum += rows[row].events[counted_by[event]].samples;
    fewest = std::min(fewest, sum);
  }
  return fewest == UINT64_MAX ? 0 : fewest;
}

std::optional<SampledMetrics> sampled_metrics(const Report& report, const PerfData& file,
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
  const std::vector<std::string> good = with_all_events(out, option);
  if (good.empty()) return std::nullopt;
  if (good.size() < out.set.metrics().size()) {
    set = metric_set(file.machine(), facts, good);
    if (!set) return std::nullopt;
    out = {std::move(*set), {}, {}, {}, true};
    find_events(report, file, out);
  }
  tell_events(out);
  add_rows(report, out);
  return out;
}

}  // namespace evname::tools
