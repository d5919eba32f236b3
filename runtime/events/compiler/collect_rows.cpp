#include "events/compiler/collect_rows.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"
#include "events/trees/vendor_metrics.hpp"
#include "events/trees/vendor_tree.hpp"

namespace evname::compiler {
namespace {

/// PMUs are ordered with "," as "_", as in perf's tables.
std::string sort_name(std::string pmu) {
  std::replace(pmu.begin(), pmu.end(), ',', '_');
  return pmu;
}

/// The contents of one file, with diagnostics of that file alone.
struct Topic {
  std::unique_ptr<trees::JsonFile> file = std::make_unique<trees::JsonFile>();
  std::deque<Entry> entries;                                ///< thousands, which are large
  std::vector<std::pair<std::string, std::string>> groups;  ///< of metrics: name, description
  std::vector<std::pair<std::string, CounterNumbers>> counters;
  std::map<std::string, tables::Latency> latencies;
  trees::Diagnostics diagnostics;
};

void add_object(const trees::Object& object, std::string_view name, const StandardEvents& standard,
                Topic& topic) {
  if (object.member == "latencies") {
    if (const auto latency = read_latency(object, {"MEAN", "MIN", "MAX"}))
      topic.latencies[to_lower(object.get("EventName"))] = *latency;
    return;
  }
  if (auto numbers = read_counter_numbers(object, topic.diagnostics))
    topic.counters.push_back(std::move(*numbers));
  auto entry = read_entry(object, standard, topic.diagnostics);
  if (!entry) return;
  entry->topic = name;
  entry->is_makers = object.member == "metrics";
  topic.entries.push_back(std::move(*entry));
}

Topic read_topic(const trees::ModelDir& model, const std::string& path,
                 const StandardEvents& standard) {
  Topic topic;
  trees::JsonFile& file = *topic.file;
  const std::string_view name = file.added.emplace_back(trees::topic_of(path));
  const trees::UseEvent use = [&](trees::Object& object) {
    if (model.vendor) trees::to_kernel_form(model, path, object, file);
    add_object(object, name, standard, topic);
  };
  const bool has_groups = path.ends_with("metricgroups.json");
  trees::read_json(path, file, topic.diagnostics, has_groups ? trees::UseEvent() : use);
  topic.groups = trees::metrics_to_kernel_form(file, topic.diagnostics);
  if (has_groups) {
    for (const trees::Object& object : file.objects)
      for (const trees::Field& field : object.fields)
        topic.groups.emplace_back(field.key, field.value);
    return topic;
  }
  if (!file.is_array && !file.objects.empty())
    topic.diagnostics.report(trees::Severity::error, file.objects[0].place, "", "",
                             "an object where an array of events is expected");
  else
    std::ranges::for_each(file.objects, use);
  return topic;
}

class Collector {
 public:
  Collector(std::span<const tables::ModelView> below, Interner& interner,
            trees::Diagnostics& diagnostics)
      : interner_(interner), diagnostics_(diagnostics), standard_{{}, below} {}

  void add_tree(const trees::ArchDir& dir, std::size_t index);
  void add_standard_model();
  void sort();
  CollectedRows take() { return std::move(rows_); }

 private:
  void read_topics(const trees::ArchDir& dir, std::size_t tree);
  void add_legacy_cache(const trees::ArchDir& dir, std::size_t tree);
  void add_topic(Topic topic, std::size_t tree, ModelRows& rows);
  void add_event(const Entry& entry, std::size_t tree, ModelRows& rows);
  void add_metric(const Entry& entry, std::size_t tree, ModelRows& rows);
  void add_counter_numbers(ModelRows& rows) const;
  void sort_events(std::vector<EventRow>& events) const;

  Interner& interner_;
  trees::Diagnostics& diagnostics_;
  std::deque<trees::JsonFile> standard_files_;
  StandardEvents standard_;  ///< the own ones are in standard_files_
  CollectedRows rows_;
};

void Collector::add_tree(const trees::ArchDir& dir, std::size_t tree) {
  for (const std::string& path : dir.standard) {
    trees::JsonFile& file = standard_files_.emplace_back();
    trees::read_json(path, file, diagnostics_);
    const std::string_view topic = file.added.emplace_back(trees::topic_of(path));
    if (file.is_array) add_standard_entries(file, topic, standard_, diagnostics_);
  }
  for (const std::string& path : dir.stray)
    diagnostics_.report(trees::Severity::warning, {diagnostics_.add_file(path), 0}, "", "",
                        "not read: its directory holds models, so it belongs to none");
  read_topics(dir, tree);
  add_legacy_cache(dir, tree);
}

// perf adds the model "common" of the architecture "common" to every CPU.
void Collector::add_legacy_cache(const trees::ArchDir& dir, std::size_t tree) {
  const auto model = std::ranges::find(dir.models, tables::kCommonName, &trees::ModelDir::name);
  if (dir.arch != tables::kCommonName || model == dir.models.end()) return;
  const auto has = [&](std::string_view file) {
    return std::ranges::any_of(model->files,
                               [&](const auto& path) { return path.ends_with(file); });
  };
  if (has("/legacy-cache.json") || !has("/legacy-hardware.json")) return;  // no tree of perf's
  Topic topic;
  for (Entry& entry : legacy_cache_entries()) topic.entries.push_back(std::move(entry));
  const std::uint32_t file = topic.diagnostics.add_file(dir.path);
  for (Entry& entry : topic.entries) entry.place.file = file;
  add_topic(std::move(topic), tree, rows_.models[model->name]);
}

// Files are read on all cores; their contents are interned one after the other.
void Collector::read_topics(const trees::ArchDir& dir, std::size_t tree) {
  std::vector<std::pair<const trees::ModelDir*, const std::string*>> files;
  for (const trees::ModelDir& model : dir.models)
    for (const std::string& path : model.files) files.emplace_back(&model, &path);
  for (const trees::ModelDir& model : dir.models)
    if (!model.source.empty()) rows_.models[model.name].source = model.source;
  for (const trees::ModelDir& model : dir.models)
    if (!model.system) add_counter_numbers(rows_.models[model.name]);
  std::vector<Topic> topics(files.size());
  produce_and_consume(
      files.size(), core_count(),
      [&](std::size_t i) { topics[i] = read_topic(*files[i].first, *files[i].second, standard_); },
      [&](std::size_t i) {
        ModelRows& rows = rows_.models[files[i].first->name];
        if (files[i].first->system) rows.flags |= tables::kSystem;
        if (dir.arch == tables::kCommonName) rows.flags |= tables::kCommon;
        add_topic(std::move(topics[i]), tree, rows);
      });
}

void Collector::add_event(const Entry& entry, std::size_t tree, ModelRows& rows) {
  const auto event = interner_.event(entry);
  if (!event) return rows_.left_out.add(entry.place, entry.name, "EventName", interner_.lack());
  if (entry.latency && event->latency == 0)
    diagnostics_.report(trees::Severity::warning, entry.place, entry.name, "RetirementLatencyMean",
                        kTooManyLatencies);
  rows.events.push_back({entry.pmu, *event, entry.counters, entry.place, tree});
}

void Collector::add_metric(const Entry& entry, std::size_t tree, ModelRows& rows) {
  const std::string_view name = entry.metric.name;
  if (const auto metric = interner_.metric(entry))
    rows.metrics.push_back(
        {entry.pmu, std::string(name), *metric, entry.place, tree, entry.is_makers});
  else
    rows_.left_out.add(entry.place, name, "MetricName", interner_.lack());
}

void Collector::add_topic(Topic topic, std::size_t tree, ModelRows& rows) {
  const std::uint32_t base = diagnostics_.adopt(std::move(topic.diagnostics));
  // Several files may have an event, and the tables keep it once.
  if (constexpr std::size_t kMostRows = 4 * std::size_t{tables::kMaxModelEvents};
      rows.events.size() + topic.entries.size() > kMostRows) {
    diagnostics_.report(trees::Severity::error, {base, 0}, "", "",
                        fmt::format("not read: the files of a model before it have {} events, and "
                                    "at most {} are read",
                                    rows.events.size(), kMostRows));
    return;
  }
  for (Entry& entry : topic.entries) {
    entry.place.file += base;
    if (!entry.name.empty()) add_event(entry, tree, rows);
    if (!entry.metric.name.empty()) add_metric(entry, tree, rows);
  }
  for (auto& [name, desc] : topic.groups) rows_.metric_groups[name] = std::move(desc);
  for (auto& [pmu, numbers] : topic.counters) rows.counters[pmu] = numbers;
  rows.latencies.merge(topic.latencies);
}

/// Adds the counter numbers of the tables below; files of the tree may replace them.
void Collector::add_counter_numbers(ModelRows& rows) const {
  for (const tables::ModelView& model : standard_.below)
    for (const tables::PmuEvents& pmu : model.pmus())
      rows.counters.try_emplace(std::string(model.arch().text(pmu.pmu)),
                                CounterNumbers{pmu.generic_counters, pmu.fixed_counters});
}

void Collector::add_standard_model() {
  ModelRows rows;
  rows.flags = tables::kStandard;
  for (const auto& [key, entry] : standard_.own)
    if (!entry.name.empty() && key == entry.name) add_event(entry, 0, rows);
  if (!rows.events.empty()) rows_.models["standard"] = std::move(rows);
}

void Collector::sort_events(std::vector<EventRow>& events) const {
  sort_stably(events, [&](const EventRow& a, const EventRow& b) {
    if (a.pmu != b.pmu) return sort_name(a.pmu) < sort_name(b.pmu);
    if (const int order = interner_.view(a.event.name).compare(interner_.view(b.event.name)))
      return order < 0;
    return a.tree > b.tree;
  });
}

void sort_metrics(std::vector<MetricRow>& metrics) {
  sort_stably(metrics, [](const MetricRow& a, const MetricRow& b) {
    if (a.pmu != b.pmu) return sort_name(a.pmu) < sort_name(b.pmu);
    if (const int order = a.name.compare(b.name)) return order < 0;
    return a.tree > b.tree;
  });
}

void Collector::sort() {
  std::vector<ModelRows*> models;
  for (auto& [name, rows] : rows_.models) models.push_back(&rows);
  parallel_for(models.size(), core_count(), [&](std::size_t i) {
    sort_events(models[i]->events);
    sort_metrics(models[i]->metrics);
  });
}

}  // namespace

void LeftOut::add(trees::Place at, std::string_view what, std::string_view of,
                  std::string_view why) {
  if (count++ == 0) {
    place = at;
    name = what;
    key = of;
    lack = why;
  }
}

CollectedRows collect_rows(std::span<const trees::ArchDir> trees,
                           std::span<const tables::ModelView> below, Interner& interner,
                           trees::Diagnostics& diagnostics) {
  Collector collector(below, interner, diagnostics);
  for (std::size_t i = 0; i < trees.size(); ++i) collector.add_tree(trees[i], i);
  collector.add_standard_model();
  collector.sort();
  return collector.take();
}

}  // namespace evname::compiler
