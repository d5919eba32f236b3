// Writes the metrics of a recording to the data of a page, which computes them for a selection.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "events/metrics/metric_steps.hpp"
#include "evname/metric.hpp"
#include "evname/topdown.hpp"
#include "metrics/label.hpp"
#include "report/page/grid.hpp"
#include "report/table.hpp"

namespace evname::tools {
namespace {

/// Returns the metrics that need events and whose events were all recorded.
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
  json.key("name").text(metric_label(set, metric));
  json.key("desc").text(info.desc);
  json.key("unit").text(info.unit);
  json.key("events").each(set.events_of(metric),
                          [&](std::size_t event) { json.number(counted_by[event]); });
}

/// The places of metrics in the list, by PMU and name.
using Places = std::map<std::pair<std::string, std::string>, std::size_t>;

/// Writes the nodes of a core PMU's tree whose events, and the events of the nodes above, were all
/// recorded: {metric, parent, level, share}. `count` is the number of nodes before them.
void write_nodes(PageJson& json, const TopdownTree& tree, const Places& places,
                 std::size_t& count) {
  std::map<std::size_t, std::size_t> written;
  for (std::size_t i = 0; i < tree.nodes().size(); ++i) {
    const TopdownNode& node = tree.nodes()[i];
    auto place = places.find({tree.pmu(), node.name});
    if (place == places.end()) place = places.find({"default_core", node.name});
    const auto parent = written.find(node.parent);
    if (place == places.end() || (node.parent != TopdownNode::kNone && parent == written.end()))
      continue;
    json.begin_object();
    json.key("metric").number(place->second);
    write_place(json.key("parent"), parent == written.end() ? SIZE_MAX : parent->second);
    json.key("level").number(node.level);
    json.key("share").text(to_string(node.share));
    json.end_object();
    written.emplace(i, count++);
  }
}

void write_tree(PageJson& json, const Recording& file, const Places& places) {
  const std::vector<std::string> pmus = TopdownTree::pmus(file.machine());
  if (pmus.empty()) return;
  std::size_t count = 0;
  json.key("tree").begin_array();
  for (const std::string& pmu : pmus)
    if (const auto tree = TopdownTree::of(file.machine(), recorded_facts(file), pmu))
      write_nodes(json, *tree, places, count);
  json.end_array();
}

}  // namespace

void write_metrics(PageJson& json, const Report& report, const Recording& file) {
  MetricSet set(file.machine(), recorded_facts(file));
  if (!set.add("all")) return;
  const auto counted_by = events_counting(report, file, set);
  const auto metrics = sampled(set, counted_by);
  if (metrics.empty()) return;
  std::vector<std::string> words;
  for (const std::size_t event : counted_by)
    words.push_back(event == SIZE_MAX ? "" : fmt::format("e{}", event));
  const auto steps = metrics::MetricSteps::of(set, metrics, words);
  Places places;
  json.key("metrics").begin_object();
  json.key("steps").texts(steps.steps);
  json.column("list", metrics.size(), [&](std::size_t i) {
    json.begin_object();
    write_metric(json, set, metrics[i], counted_by);
    json.key("value").number(steps.values[i]);
    write_place(json.key("threshold"), steps.thresholds[i]);
    json.end_object();
    const MetricInfo& info = set.metrics()[metrics[i]];
    places.emplace(std::pair(info.pmu, info.name), i);
  });
  write_tree(json, file, places);
  json.end_object();
}

}  // namespace evname::tools
