#include "events/compiler/build_tables.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "base/text.hpp"
#include "events/compiler/entry.hpp"
#include "events/compiler/interner.hpp"
#include "events/compiler/metric_circles.hpp"
#include "events/tables/model_view.hpp"
#include "events/trees/mapfile.hpp"
#include "events/trees/tree.hpp"
#include "events/trees/vendor_metrics.hpp"
#include "events/trees/vendor_tree.hpp"

namespace evname::compiler {
namespace {

struct EventRow {
  std::string pmu;
  tables::Event event;
  tables::Counters counters;
  trees::Place place;
  std::size_t tree;              ///< index of its tree
  std::uint8_t counter_set = 0;  ///< index into TableArrays::counters
};

struct MetricRow {
  std::string pmu, name;
  tables::Metric metric;
  trees::Place place;
  std::size_t tree;
};

struct ModelRows {
  std::uint32_t flags = 0;
  std::string source;  ///< where its facts are from
  std::vector<EventRow> events;
  std::vector<MetricRow> metrics;
  std::map<std::string, CounterNumbers> counters;    ///< by PMU
  std::map<std::string, tables::Latency> latencies;  ///< of events whose entries do not state them
};

/// Rows by PMU and name; of equal ones those of the latest tree first, then in file order.
struct CollectedRows {
  std::map<std::string, ModelRows> models;
  std::map<std::string, std::string> metric_groups;  ///< descriptions by name
};

/// PMUs are ordered with "," as "_", as in perf's tables.
std::string sort_name(std::string pmu) {
  std::replace(pmu.begin(), pmu.end(), ',', '_');
  return pmu;
}

/// The contents of one file, with diagnostics of that file alone.
struct Topic {
  std::unique_ptr<trees::JsonFile> file = std::make_unique<trees::JsonFile>();
  std::vector<Entry> entries;
  std::vector<std::pair<std::string, std::string>> groups;  ///< of metrics: name, description
  std::vector<std::pair<std::string, CounterNumbers>> counters;
  std::map<std::string, tables::Latency> latencies;
  trees::Diagnostics diagnostics;
};

Topic read_topic(const trees::ModelDir& model, const std::string& path,
                 const StandardEvents& standard) {
  Topic topic;
  trees::JsonFile& file = *topic.file;
  trees::read_json(path, file, topic.diagnostics);
  topic.groups = trees::metrics_to_kernel_form(file, topic.diagnostics);
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
    if (object.member == "latencies") {
      if (const auto latency = read_latency(object, {"MEAN", "MIN", "MAX"}))
        topic.latencies[to_lower(object.get("EventName"))] = *latency;
      continue;
    }
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
  void add_counter_numbers(ModelRows& rows) const;
  void sort_events(std::vector<EventRow>& events) const;

  Interner& interner_;
  trees::Diagnostics& diagnostics_;
  std::deque<trees::JsonFile> standard_files_;
  StandardEvents standard_;  ///< its own are of standard_files_
  CollectedRows rows_;
};

void Collector::add_tree(const trees::ArchDir& dir, std::size_t tree) {
  for (const std::string& path : dir.standard) {
    trees::JsonFile& file = standard_files_.emplace_back();
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
    if (!entry.name.empty()) {
      const tables::Event event = interner_.event(entry);
      if (entry.latency && event.latency == 0)
        diagnostics_.report(trees::Severity::warning, entry.place, entry.name,
                            "RetirementLatencyMean",
                            "too many distinct latencies in one architecture; left out");
      rows.events.push_back({entry.pmu, event, entry.counters, entry.place, tree});
    }
    if (!entry.metric.name.empty())
      rows.metrics.push_back(
          {entry.pmu, entry.metric.name, interner_.metric(entry), entry.place, tree});
  }
  for (auto& [name, desc] : topic.groups) rows_.metric_groups[name] = std::move(desc);
  for (auto& [pmu, numbers] : topic.counters) rows.counters[pmu] = numbers;
  rows.latencies.merge(topic.latencies);
}

/// Adds the counter numbers of the tables below, which hold until a file of the tree has others.
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
    if (!entry.name.empty() && key == entry.name)
      rows.events.push_back({entry.pmu, interner_.event(entry), entry.counters, entry.place, 0});
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

/// Reads all files of the trees, each laid over the ones before, and the standard events as a model
/// of their own.
CollectedRows collect_rows(std::span<const trees::ArchDir> trees,
                           std::span<const tables::ModelView> below, Interner& interner,
                           trees::Diagnostics& diagnostics) {
  Collector collector(below, interner, diagnostics);
  for (std::size_t i = 0; i < trees.size(); ++i) collector.add_tree(trees[i], i);
  collector.add_standard_model();
  collector.sort();
  return collector.take();
}

/// "arm/cortex-a57-a72" and "arm_cortex_a57_a72" name one directory in a mapfile.
std::string folded(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '/' || c == '-'; }, '_');
  return name;
}

class Builder {
 public:
  Builder(std::span<const trees::ArchDir> trees, trees::Diagnostics& diagnostics)
      : trees_(trees), diagnostics_(diagnostics), interner_(arrays_) {
    arrays_.arch = trees.front().arch;
    for (const trees::ArchDir& tree : trees)
      for (const std::string& model : tree.left_out) left_out_.insert(folded(model));
  }

  tables::TableArrays build_models() {
    for (const trees::ArchDir& tree : trees_)
      for (const trees::ModelDir& dir : tree.models) {
        tables::Model model{};
        model.name = interner_.text(dir.name);
        model.flags = dir.system ? tables::kSystem : 0;
        model_index_[folded(dir.name)] = size32(arrays_.models);
        arrays_.models.push_back(model);
      }
    for (const trees::ArchDir& tree : reversed()) map_models(tree);
    return std::move(arrays_);
  }

  tables::TableArrays build(std::span<const tables::ModelView> below) {
    CollectedRows collected = collect_rows(trees_, below, interner_, diagnostics_);
    for (const auto& [name, desc] : collected.metric_groups)
      arrays_.metric_groups.push_back({interner_.text(name), interner_.text(desc)});
    for (auto& [name, rows] : collected.models) add_model(name, rows);
    for (const trees::ArchDir& tree : reversed()) map_models(tree);
    while (!arrays_.map_rows.empty() && arrays_.map_rows.back().model == tables::kLeftOut)
      arrays_.map_rows.pop_back();  // they take no CPU from any other
    lint_unmapped();
    check_metrics();
    return std::move(arrays_);
  }

 private:
  std::vector<trees::ArchDir> reversed() const { return {trees_.rbegin(), trees_.rend()}; }

  /// Derives the number of a PMU's counters from its events if no file states it.
  void count_counters(ModelRows& rows) {
    std::map<std::string, CounterNumbers> needed;
    for (const EventRow& row : rows.events) needed[row.pmu].hold(row.counters);
    rows.counters.merge(needed);
    for (EventRow& row : rows.events) {
      const auto set = interner_.counters(rows.counters[row.pmu].normal(row.counters));
      row.counter_set = set.value_or(0);
      if (!set)
        diagnostics_.report(trees::Severity::warning, row.place, name_of(row), "Counter",
                            fmt::format("more than {} distinct sets of counters; left out",
                                        tables::kMaxCounterSets - 1));
    }
  }

  std::string_view name_of(const EventRow& row) const {
    return arrays_.strings.data() + row.event.name;
  }

  void add_latencies(ModelRows& rows) {
    if (rows.latencies.empty()) return;
    for (EventRow& row : rows.events)
      if (const auto known = rows.latencies.find(std::string(name_of(row)));
          known != rows.latencies.end() && row.event.latency == 0)
        row.event.latency = interner_.latency(known->second);
  }

  void add_model(const std::string& name, ModelRows& rows) {
    if (rows.events.empty() && rows.metrics.empty()) return;
    add_latencies(rows);
    count_counters(rows);
    tables::Model model{};
    model.name = interner_.text(name);
    model.flags = rows.flags;
    model.source = interner_.text(rows.source);
    const std::uint32_t first_entry = size32(arrays_.entries);
    add_events(model, rows);
    tables::add_slots(arrays_, first_entry, model);
    add_metrics(model, rows.metrics);
    model_index_[folded(name)] = size32(arrays_.models);
    arrays_.models.push_back(model);
  }

  void add_events(tables::Model& model, ModelRows& rows) {
    model.first_pmu = size32(arrays_.pmus);
    const std::uint32_t first_entry = size32(arrays_.entries);
    const EventRow* last = nullptr;
    for (const EventRow& row : rows.events) {
      if (last && last->pmu == row.pmu && last->event.name == row.event.name) {
        if (last->tree == row.tree) report_duplicate(*last, row);
        continue;
      }
      if (!last || last->pmu != row.pmu) {
        const CounterNumbers& counters = rows.counters[row.pmu];
        arrays_.pmus.push_back({interner_.text(row.pmu), size32(arrays_.entries), 0,
                                counters.generic, counters.fixed});
      }
      if (is_full(row, size32(arrays_.entries) - first_entry)) break;
      arrays_.entries.push_back(
          tables::make_entry(interner_.event_index(row.event), row.counter_set));
      ++arrays_.pmus.back().count;
      last = &row;
    }
    model.pmu_count = size32(arrays_.pmus) - model.first_pmu;
  }

  /// There is no room for the event: reported.
  bool is_full(const EventRow& row, std::uint32_t model_events) {
    const bool model = model_events == tables::kMaxModelEvents;
    if (!model && size32(arrays_.events) < tables::kMaxEvents) return false;
    diagnostics_.report(trees::Severity::error, row.place, name_of(row), "EventName",
                        fmt::format("{} at most {} events; the rest is left out",
                                    model ? "a model has" : "all models together have",
                                    model ? tables::kMaxModelEvents : tables::kMaxEvents));
    return true;
  }

  /// Adds metrics. Of several with the same name the first counts, as in perf: a later tree's, or
  /// the one read first.
  void add_metrics(tables::Model& model, const std::vector<MetricRow>& rows) {
    model.first_metric = size32(arrays_.metric_entries);
    const MetricRow* last = nullptr;
    for (const MetricRow& row : rows) {
      if (last && last->pmu == row.pmu && last->name == row.name) {
        if (last->tree == row.tree) report_duplicate(*last, row);
        continue;
      }
      arrays_.metric_entries.push_back(
          static_cast<std::uint16_t>(interner_.metric_index(row.metric)));
      last = &row;
    }
    model.metric_count = size32(arrays_.metric_entries) - model.first_metric;
    report_circles(rows);
  }

  void report_duplicate(const EventRow& first, const EventRow& second) {
    diagnostics_.report(trees::Severity::warning, second.place, name_of(second), "EventName",
                        fmt::format("stands twice on PMU {}; the first counts ({})", second.pmu,
                                    diagnostics_.file(first.place.file)));
  }

  void report_duplicate(const MetricRow& first, const MetricRow& second) {
    diagnostics_.report(trees::Severity::warning, second.place, second.name, "MetricName",
                        fmt::format("stands twice on PMU {}; the first counts ({})", second.pmu,
                                    diagnostics_.file(first.place.file)));
  }

  /// Reports metrics that need themselves, each circle once.
  void report_circles(const std::vector<MetricRow>& rows);

  /// Linear probing, at most two thirds full.
  void check_metrics() {
    if (std::max(arrays_.metrics.size(), arrays_.symbols.size()) <= tables::kMaxMetrics) return;
    diagnostics_.report(
        trees::Severity::error, {diagnostics_.add_file(trees_.back().path), 0}, "", "",
        fmt::format("more than {} metrics, or names in their expressions", tables::kMaxMetrics));
  }

  void map_models(const trees::ArchDir& tree) {
    if (tree.mapfile.empty()) return add_map_rows(tree.map_rows);
    const auto rows = trees::read_mapfile(tree.mapfile, diagnostics_);
    trees::lint_mapfile(arrays_.arch, rows, diagnostics_);
    add_map_rows(rows);
  }

  void add_map_rows(const std::vector<trees::MapfileRow>& rows) {
    for (const trees::MapfileRow& row : rows) {
      const std::string name = folded(row.directory);
      if (const auto model = model_index_.find(name); model != model_index_.end())
        add_row(row, model->second);
      else if (left_out_.contains(name))
        add_row(row, tables::kLeftOut);
      else
        diagnostics_.report(trees::Severity::warning, row.place, "", row.directory,
                            "the row is dropped: no such directory, or nothing in it");
    }
  }

  void add_row(const trees::MapfileRow& row, std::uint32_t model) {
    arrays_.map_rows.push_back({interner_.text(row.pattern), interner_.text(row.version), model});
  }

  void lint_unmapped() {
    std::vector<bool> mapped(arrays_.models.size());
    for (const tables::MapRow& row : arrays_.map_rows)
      if (row.model != tables::kLeftOut) mapped[row.model] = true;
    for (std::size_t i = 0; i < mapped.size(); ++i) {
      const tables::Model& model = arrays_.models[i];
      if (mapped[i] || model.flags != 0) continue;
      const std::string name = arrays_.strings.data() + model.name;
      diagnostics_.report(trees::Severity::warning,
                          {diagnostics_.add_file(trees_.back().path + "/" + name), 0}, "", "",
                          "no row of mapfile.csv leads to this model");
    }
  }

  template <class T>
  static std::uint32_t size32(const std::vector<T>& values) {
    return static_cast<std::uint32_t>(values.size());
  }

  std::span<const trees::ArchDir> trees_;
  trees::Diagnostics& diagnostics_;
  tables::TableArrays arrays_;
  Interner interner_;
  std::map<std::string, std::uint32_t> model_index_;
  std::set<std::string> left_out_;
};

void Builder::report_circles(const std::vector<MetricRow>& rows) {
  std::map<std::pair<std::string_view, std::string>, std::size_t> by_name;
  for (std::size_t i = 0; i < rows.size(); ++i)
    by_name.try_emplace({rows[i].pmu, to_lower(rows[i].name)}, i);
  std::vector<std::vector<std::size_t>> needs(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const tables::Program& program = arrays_.programs[rows[row].metric.expr_program];
    for (std::size_t i = 0; i < program.symbol_count; ++i) {
      const auto& symbol = arrays_.symbols[arrays_.symbol_lists[program.first_symbol + i]];
      if (symbol.kind != expression::SymbolKind::event) continue;
      const std::string_view name(arrays_.strings.data() + symbol.name, symbol.size);
      const auto at = by_name.find({rows[row].pmu, to_lower(name)});
      if (at != by_name.end()) needs[row].push_back(at->second);
    }
  }
  for (const MetricCircle& circle : find_circles(needs))
    diagnostics_.report(
        trees::Severity::error, rows[circle.metric].place, rows[circle.metric].name, "MetricExpr",
        fmt::format("the metric needs itself, by way of {}", rows[circle.by_way_of].name));
}

}  // namespace

tables::TableArrays build_tables(std::span<const trees::ArchDir> trees,
                                 trees::Diagnostics& diagnostics,
                                 std::span<const tables::ModelView> below) {
  return Builder(trees, diagnostics).build(below);
}

tables::TableArrays list_models(const trees::ArchDir& tree, trees::Diagnostics& diagnostics) {
  return Builder({&tree, 1}, diagnostics).build_models();
}

std::vector<std::vector<trees::ArchDir>> group_by_architecture(std::span<const std::string> roots,
                                                               trees::Diagnostics& diagnostics) {
  std::map<std::string, std::vector<trees::ArchDir>> groups;
  for (const std::string& root : roots)
    for (trees::ArchDir& arch : trees::find_trees(root, diagnostics))
      groups[arch.arch].push_back(std::move(arch));
  std::vector<std::vector<trees::ArchDir>> out;
  for (auto& [name, trees] : groups) out.push_back(std::move(trees));
  return out;
}

}  // namespace evname::compiler
