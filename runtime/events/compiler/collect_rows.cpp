#include "events/compiler/collect_rows.hpp"

#include <algorithm>
#include <utility>

#include "base/parallel.hpp"
#include "events/compiler/legacy_cache.hpp"
#include "events/tables/metrics.hpp"
#include "events/trees/vendor_tree.hpp"

namespace evname::compiler {
namespace {

/// PMUs are ordered with "," as "_", as in perf's tables.
std::string sort_name(std::string pmu) {
  std::replace(pmu.begin(), pmu.end(), ',', '_');
  return pmu;
}

/// What one file says, with diagnostics of that file alone.
struct Topic {
  std::vector<Entry> entries;
  std::vector<std::pair<std::string, std::string>> groups;  ///< of metrics: name, description
  std::vector<std::pair<std::string, CounterNumbers>> counters;
  trees::Diagnostics diagnostics;
};

Topic read_topic(const trees::ModelDir& model, const std::string& path,
                 const StandardEntries& standard) {
  Topic topic;
  trees::JsonFile file;
  trees::read_json(path, file, topic.diagnostics);
  if (model.vendor) trees::to_kernel_form(model, path, file);
  if (path.ends_with("metricgroups.json")) {
    for (const trees::Object& object : file.objects)
      for (const trees::Field& field : object.fields)
        topic.groups.emplace_back(field.key, field.value);
    return topic;
  }
  if (!file.is_array && !file.objects.empty()) {
    topic.diagnostics.report(trees::Severity::error, file.objects[0].place, "", "",
                             "an object where an array of events is expected");
    return topic;
  }
  const std::string name = trees::topic_of(path);
  for (const trees::Object& object : file.objects) {
    if (auto numbers = read_counter_numbers(object, topic.diagnostics))
      topic.counters.push_back(std::move(*numbers));
    auto entry = read_entry(object, standard, topic.diagnostics);
    if (!entry) continue;
    entry->topic = name;
    topic.entries.push_back(std::move(*entry));
  }
  return topic;
}

class Collector {
 public:
  Collector(Interner& interner, trees::Diagnostics& diagnostics)
      : interner_(interner), diagnostics_(diagnostics) {}

  void add_base(const BaseTables& base);
  /// `number` is 1 for the first.
  void add_tree(const trees::ArchDir& dir, std::size_t number);
  void add_standard_model();
  void sort();
  CollectedRows take() { return std::move(rows_); }

 private:
  void read_topics(const trees::ArchDir& dir, std::size_t tree);
  void add_legacy_cache(const trees::ArchDir& dir, std::size_t tree);
  void add_topic(Topic topic, std::size_t tree, ModelRows& rows);
  void sort_events(std::vector<EventRow>& events) const;

  Interner& interner_;
  trees::Diagnostics& diagnostics_;
  StandardEntries standard_;
  CollectedRows rows_;
};

void Collector::add_base(const BaseTables& base) {
  for (const tables::Model& model : base.tables.models) {
    const std::string name = base.place_of(model);
    if (name.empty()) continue;
    ModelRows& rows = rows_.models[name];
    rows.flags = model.flags;
    rows.source = base.tables.text(model.source);
    for (const auto& pmu : base.tables.pmus.subspan(model.first_pmu, model.pmu_count)) {
      rows.counters[std::string(base.tables.text(pmu.pmu))] = {pmu.generic_counters,
                                                               pmu.fixed_counters};
      for (const auto index : base.tables.entries.subspan(pmu.first, pmu.count)) {
        Entry entry = entry_of(base.tables, pmu, index);
        rows.events.push_back({entry.pmu, interner_.event(entry), entry.counters, {}, kBaseTables});
        if (model.flags & tables::kStandard) standard_.try_emplace(entry.name, std::move(entry));
      }
    }
    for (const auto index : tables::metrics_of({base.tables, &model})) {
      const Entry entry = entry_of(base.tables, base.tables.metrics[index]);
      rows.metrics.push_back({entry.pmu, entry.metric.name, interner_.metric(entry), kBaseTables});
    }
  }
  for (const tables::MetricGroup& group : base.tables.metric_groups)
    rows_.metric_groups.try_emplace(std::string(base.tables.text(group.name)),
                                    base.tables.text(group.desc));
}

void Collector::add_tree(const trees::ArchDir& dir, std::size_t tree) {
  for (const std::string& path : dir.standard) {
    trees::JsonFile file;
    trees::read_json(path, file, diagnostics_);
    if (file.is_array) add_standard_entries(file, trees::topic_of(path), standard_, diagnostics_);
  }
  for (const std::string& path : dir.stray)
    diagnostics_.report(trees::Severity::warning, {diagnostics_.add_file(path), 0}, "", "",
                        "not read: its directory holds models, so it belongs to none");
  read_topics(dir, tree);
  add_legacy_cache(dir, tree);
}

// The model "common" of the architecture "common" is what perf adds to every CPU.
void Collector::add_legacy_cache(const trees::ArchDir& dir, std::size_t tree) {
  const auto model = std::ranges::find(dir.models, tables::kCommonName, &trees::ModelDir::name);
  if (dir.arch != tables::kCommonName || model == dir.models.end()) return;
  const auto has = [&](std::string_view file) {
    return std::ranges::any_of(model->files,
                               [&](const auto& path) { return path.ends_with(file); });
  };
  if (has("/legacy-cache.json") || !has("/legacy-hardware.json")) return;  // no tree of perf's
  Topic topic;
  topic.entries = legacy_cache_entries();
  const std::uint32_t file = topic.diagnostics.add_file(dir.path);
  for (Entry& entry : topic.entries) entry.place.file = file;
  add_topic(std::move(topic), tree, rows_.models[model->name]);
}

// Files are read on all cores; what they say is interned one after the other.
void Collector::read_topics(const trees::ArchDir& dir, std::size_t tree) {
  std::vector<std::pair<const trees::ModelDir*, const std::string*>> files;
  for (const trees::ModelDir& model : dir.models)
    for (const std::string& path : model.files) files.emplace_back(&model, &path);
  for (const trees::ModelDir& model : dir.models)
    if (!model.source.empty()) rows_.models[model.name].source = model.source;
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

void Collector::add_topic(Topic topic, std::size_t tree, ModelRows& rows) {
  const std::uint32_t base = diagnostics_.adopt(std::move(topic.diagnostics));
  for (Entry& entry : topic.entries) {
    entry.place.file += base;
    if (!entry.name.empty()) {
      const tables::Event event = interner_.event(entry);
      if (entry.latency && event.latency == 0)
        diagnostics_.report(trees::Severity::warning, entry.place, entry.name,
                            "RetirementLatencyMean",
                            "too many distinct latencies in one architecture; left out");
      rows.events.push_back({entry.pmu, event, entry.counters, entry.place, tree});
    }
    if (!entry.metric.name.empty())
      rows.metrics.push_back({entry.pmu, entry.metric.name, interner_.metric(entry), tree});
  }
  for (auto& [name, desc] : topic.groups) rows_.metric_groups[name] = std::move(desc);
  for (auto& [pmu, numbers] : topic.counters) rows.counters[pmu] = numbers;
}

void Collector::add_standard_model() {
  ModelRows rows;
  rows.flags = tables::kStandard;
  for (const auto& [key, entry] : standard_)
    if (!entry.name.empty() && key == entry.name)
      rows.events.push_back({entry.pmu, interner_.event(entry), entry.counters, entry.place, 1});
  if (!rows.events.empty()) rows_.models["standard"] = std::move(rows);
}

void Collector::sort_events(std::vector<EventRow>& events) const {
  std::stable_sort(events.begin(), events.end(), [&](const EventRow& a, const EventRow& b) {
    if (a.pmu != b.pmu) return sort_name(a.pmu) < sort_name(b.pmu);
    if (const int order = interner_.view(a.event.name).compare(interner_.view(b.event.name)))
      return order < 0;
    return a.tree > b.tree;
  });
}

void sort_metrics(std::vector<MetricRow>& metrics) {
  std::stable_sort(metrics.begin(), metrics.end(), [](const MetricRow& a, const MetricRow& b) {
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

CollectedRows collect_rows(std::span<const trees::ArchDir> trees, const BaseTables* base,
                           Interner& interner, trees::Diagnostics& diagnostics) {
  Collector collector(interner, diagnostics);
  if (base != nullptr) collector.add_base(*base);
  for (std::size_t i = 0; i < trees.size(); ++i) collector.add_tree(trees[i], i + 1);
  collector.add_standard_model();
  collector.sort();
  return collector.take();
}

}  // namespace evname::compiler
