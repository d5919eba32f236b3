// The metrics of a recording in the data of a page, which computes them for what is selected.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "evname/metric.hpp"
#include "evname/topdown.hpp"
#include "report/page_grid.hpp"
#include "report/table.hpp"

namespace evname::tools {
namespace {

/// Returns the metrics that need events, and these were all recorded.
std::vector<std::size_t> sampled(const MetricSet& set, std::span<const std::size_t> counted_by) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < set.metrics().size(); ++i)
    if (!set.events_of(i).empty() && uncounted(set, i, counted_by).empty()) out.push_back(i);
  return out;
}

void write_place(PageJson& json, std::size_t place) {
  place == SIZE_MAX ? json.null() : json.number(place);
}

void write_metric(PageJson& json, const MetricSet& set, std::size_t metric,
                  std::span<const std::size_t> counted_by) {
  const MetricInfo& info = set.metrics()[metric];
  json.key("name").text(info.name);
  json.key("desc").text(info.desc);
  json.key("unit").text(info.unit);
  json.key("events").each(set.events_of(metric),
                          [&](std::size_t event) { json.number(counted_by[event]); });
}

/// Writes the nodes of the recorded CPU's tree whose events, and those of the nodes above, were all
/// recorded: {metric, parent, level, share}.
void write_tree(PageJson& json, const PerfData& file,
                const std::map<std::string, std::size_t>& places) {
  const auto tree = TopdownTree::of(file.machine(), recorded_facts(file));
  if (!tree) return;
  std::map<std::size_t, std::size_t> written;
  json.key("tree").begin_array();
  for (std::size_t i = 0; i < tree->nodes().size(); ++i) {
    const TopdownNode& node = tree->nodes()[i];
    const auto place = places.find(node.name);
    const auto parent = written.find(node.parent);
    if (place == places.end() || (node.parent != kNoNode && parent == written.end())) continue;
    json.begin_object();
    json.key("metric").number(place->second);
    write_place(json.key("parent"), parent == written.end() ? SIZE_MAX : parent->second);
    json.key("level").number(node.level);
    json.key("share").text(to_string(node.share));
    json.end_object();
    written.emplace(i, written.size());
  }
  json.end_array();
}

}  // namespace

void write_metrics(PageJson& json, const Report& report, const PerfData& file) {
  MetricSet set(file.machine(), recorded_facts(file));
  if (!set.add("all")) return;
  const auto counted_by = events_counting(report, file, set);
  const auto metrics = sampled(set, counted_by);
  if (metrics.empty()) return;
  std::vector<std::string> words;
  for (const std::size_t event : counted_by)
    words.push_back(event == SIZE_MAX ? "" : fmt::format("e{}", event));
  const MetricSteps steps = set.steps_of(metrics, words);
  std::map<std::string, std::size_t> places;
  json.key("metrics").begin_object();
  json.key("steps").texts(steps.steps);
  json.column("list", metrics.size(), [&](std::size_t i) {
    json.begin_object();
    write_metric(json, set, metrics[i], counted_by);
    json.key("value").number(steps.values[i]);
    write_place(json.key("threshold"), steps.thresholds[i]);
    json.end_object();
    places.emplace(set.metrics()[metrics[i]].name, i);
  });
  write_tree(json, file, places);
  json.end_object();
}

}  // namespace evname::tools
