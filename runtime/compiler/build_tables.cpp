#include "compiler/build_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "base/parallel.hpp"
#include "compiler/entry.hpp"
#include "compiler/interner.hpp"
#include "compiler/mapfile.hpp"
#include "compiler/vendor_tree.hpp"
#include "tables/metrics.hpp"
#include "tables/name_hash.hpp"

namespace evname::gen {
namespace {

struct EventRow {
  std::string pmu;
  tables::Event event;
  tables::Counters counters;
  Place place;
  std::size_t tree;              ///< kBeneath, or one more than its place among the trees
  std::uint8_t counter_set = 0;  ///< index into tables::TableArrays::counters
};
constexpr std::size_t kBeneath = 0;

struct MetricRow {
  std::string pmu, name;
  tables::Metric metric;
  std::size_t tree;
};

struct ModelRows {
  std::uint32_t flags = 0;
  std::vector<EventRow> events;
  std::vector<MetricRow> metrics;
  std::map<std::string, CounterNumbers> counters;  ///< by PMU
};

/// "arm/cortex-a57-a72" and "arm_cortex_a57_a72" name one directory in a mapfile.
std::string folded(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '/' || c == '-'; }, '_');
  return name;
}

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
  Diagnostics diagnostics;
};

Topic read_topic(const ModelDir& model, const std::string& path, const StandardEntries& standard) {
  Topic topic;
  JsonFile file;
  read_json(path, file, topic.diagnostics);
  if (model.vendor) to_kernel_form(model.unit_of(path), file);
  if (path.ends_with("/metricgroups.json")) {
    for (const Object& object : file.objects)
      for (const Field& field : object.fields) topic.groups.emplace_back(field.key, field.value);
    return topic;
  }
  if (!file.is_array && !file.objects.empty()) {
    topic.diagnostics.report(Severity::error, file.objects[0].place, "", "",
                             "an object where an array of events is expected");
    return topic;
  }
  const std::string name = topic_of(path);
  for (const Object& object : file.objects) {
    if (auto numbers = read_counter_numbers(object, topic.diagnostics))
      topic.counters.push_back(std::move(*numbers));
    auto entry = read_entry(object, standard, topic.diagnostics);
    if (!entry) continue;
    entry->topic = name;
    topic.entries.push_back(std::move(*entry));
  }
  return topic;
}

class Builder {
 public:
  Builder(std::span<const ArchDir> trees, Diagnostics& diagnostics)
      : trees_(trees), diagnostics_(diagnostics), interner_(arrays_) {
    arrays_.arch = trees.front().arch;
    for (const ArchDir& tree : trees)
      for (const std::string& model : tree.left_out) left_out_.insert(folded(model));
  }

  /// Before build().
  void lay_over(const Beneath& beneath) {
    for (const tables::Model& model : beneath.tables.models) {
      const std::string name = beneath.place_of(model);
      if (name.empty()) continue;
      ModelRows& rows = models_[name];
      rows.flags = model.flags;
      for (const auto& pmu : beneath.tables.pmus.subspan(model.first_pmu, model.pmu_count)) {
        rows.counters[std::string(beneath.tables.text(pmu.pmu))] = {pmu.generic_counters,
                                                                    pmu.fixed_counters};
        for (const auto index : beneath.tables.entries.subspan(pmu.first, pmu.count)) {
          Entry entry = entry_of(beneath.tables, pmu, index);
          rows.events.push_back({entry.pmu, interner_.event(entry), entry.counters, {}, kBeneath});
          if (model.flags & tables::kStandard) standard_.try_emplace(entry.name, std::move(entry));
        }
      }
      for (const auto index : tables::metrics_of({beneath.tables, &model})) {
        const Entry entry = entry_of(beneath.tables, beneath.tables.metrics[index]);
        rows.metrics.push_back({entry.pmu, entry.metric.name, interner_.metric(entry), kBeneath});
      }
    }
    for (const tables::MetricGroup& group : beneath.tables.metric_groups)
      groups_.try_emplace(std::string(beneath.tables.text(group.name)),
                          beneath.tables.text(group.desc));
  }

  tables::TableArrays build_models() {
    for (const ArchDir& tree : trees_)
      for (const ModelDir& dir : tree.models) {
        tables::Model model{};
        model.name = interner_.text(dir.name);
        model.flags = dir.system ? tables::kSystem : 0;
        model_index_[folded(dir.name)] = size32(arrays_.models);
        arrays_.models.push_back(model);
      }
    for (const ArchDir& tree : reversed()) map_models(tree);
    return std::move(arrays_);
  }

  tables::TableArrays build() {
    for (std::size_t tree = 0; tree < trees_.size(); ++tree) read_tree(trees_[tree], tree + 1);
    add_standard_model();
    sort_models();
    for (auto& [name, rows] : models_) emit_model(name, rows);
    for (const ArchDir& tree : reversed()) map_models(tree);
    while (!arrays_.map_rows.empty() && arrays_.map_rows.back().model == tables::kLeftOut)
      arrays_.map_rows.pop_back();  // they take no CPU from any other
    lint_unmapped();
    check_metrics();
    return std::move(arrays_);
  }

 private:
  std::vector<ArchDir> reversed() const { return {trees_.rbegin(), trees_.rend()}; }

  void read_tree(const ArchDir& dir, std::size_t tree) {
    for (const std::string& path : dir.standard) {
      JsonFile file;
      read_json(path, file, diagnostics_);
      if (file.is_array) add_standard_entries(file, topic_of(path), standard_, diagnostics_);
    }
    for (const std::string& path : dir.stray)
      diagnostics_.report(Severity::warning, {diagnostics_.add_file(path), 0}, "", "",
                          "not read: its directory holds models, so it belongs to none");
    read_topics(dir, tree);
  }

  // Files are read on all cores; what they say is interned one after the other.
  void read_topics(const ArchDir& dir, std::size_t tree) {
    std::vector<std::pair<const ModelDir*, const std::string*>> files;
    for (const ModelDir& model : dir.models)
      for (const std::string& path : model.files) files.emplace_back(&model, &path);
    std::vector<Topic> topics(files.size());
    produce_and_consume(
        files.size(), core_count(),
        [&](std::size_t i) {
          topics[i] = read_topic(*files[i].first, *files[i].second, standard_);
        },
        [&](std::size_t i) {
          ModelRows& rows = models_[files[i].first->name];
          if (files[i].first->system) rows.flags |= tables::kSystem;
          add_topic(std::move(topics[i]), tree, rows);
        });
  }

  void add_topic(Topic topic, std::size_t tree, ModelRows& rows) {
    const std::uint32_t base = diagnostics_.adopt(std::move(topic.diagnostics));
    for (Entry& entry : topic.entries) {
      entry.place.file += base;
      if (!entry.name.empty())
        rows.events.push_back(
            {entry.pmu, interner_.event(entry), entry.counters, entry.place, tree});
      if (!entry.metric.name.empty())
        rows.metrics.push_back({entry.pmu, entry.metric.name, interner_.metric(entry), tree});
    }
    for (auto& [name, desc] : topic.groups) groups_[name] = std::move(desc);
    for (auto& [pmu, numbers] : topic.counters) rows.counters[pmu] = numbers;
  }

  /// Where nothing says how many counters a PMU has, its events tell.
  void count_counters(ModelRows& rows) {
    std::map<std::string, CounterNumbers> needed;
    for (const EventRow& row : rows.events) needed[row.pmu].hold(row.counters);
    rows.counters.merge(needed);
    for (EventRow& row : rows.events) {
      const auto set = interner_.counters(rows.counters[row.pmu].normal(row.counters));
      row.counter_set = set.value_or(0);
      if (!set)
        diagnostics_.report(Severity::warning, row.place, name_of(row), "Counter",
                            fmt::format("more than {} distinct sets of counters; left out",
                                        tables::kMaxCounterSets - 1));
    }
  }

  void add_standard_model() {
    ModelRows rows;
    rows.flags = tables::kStandard;
    for (const auto& [key, entry] : standard_)
      if (!entry.name.empty() && key == entry.name)
        rows.events.push_back({entry.pmu, interner_.event(entry), entry.counters, entry.place, 1});
    if (!rows.events.empty()) models_["standard"] = std::move(rows);
    for (const auto& [name, desc] : groups_)
      arrays_.metric_groups.push_back({interner_.text(name), interner_.text(desc)});
  }

  std::string_view name_of(const EventRow& row) const {
    return arrays_.strings.data() + row.event.name;
  }

  /// By PMU and name; of equal ones the latest tree first, then file order.
  void sort_events(std::vector<EventRow>& events) const {
    std::stable_sort(events.begin(), events.end(), [&](const EventRow& a, const EventRow& b) {
      if (a.pmu != b.pmu) return sort_name(a.pmu) < sort_name(b.pmu);
      if (const int order = name_of(a).compare(name_of(b))) return order < 0;
      return a.tree > b.tree;
    });
  }

  /// In the same order.
  static void sort_metrics(std::vector<MetricRow>& metrics) {
    std::stable_sort(metrics.begin(), metrics.end(), [](const MetricRow& a, const MetricRow& b) {
      if (a.pmu != b.pmu) return sort_name(a.pmu) < sort_name(b.pmu);
      if (const int order = a.name.compare(b.name)) return order < 0;
      return a.tree > b.tree;
    });
  }

  void sort_models() {
    std::vector<ModelRows*> models;
    for (auto& [name, rows] : models_) models.push_back(&rows);
    parallel_for(models.size(), core_count(), [&](std::size_t i) {
      sort_events(models[i]->events);
      sort_metrics(models[i]->metrics);
    });
  }

  void emit_model(const std::string& name, ModelRows& rows) {
    if (rows.events.empty() && rows.metrics.empty()) return;
    count_counters(rows);
    tables::Model model{};
    model.name = interner_.text(name);
    model.flags = rows.flags;
    model.first_pmu = size32(arrays_.pmus);
    const EventRow* last = nullptr;
    const std::uint32_t first_entry = size32(arrays_.entries);
    for (const EventRow& row : rows.events) {
      if (last && last->pmu == row.pmu && last->event.name == row.event.name) {
        if (last->tree == row.tree && row.tree != kBeneath) report_duplicate(*last, row);
        continue;
      }
      if (!last || last->pmu != row.pmu) {
        const CounterNumbers& counters = rows.counters[row.pmu];
        arrays_.pmus.push_back({interner_.text(row.pmu), size32(arrays_.entries), 0,
                                counters.generic, counters.fixed});
      }
      const bool full = size32(arrays_.entries) - first_entry == tables::kMaxModelEvents;
      if (full || size32(arrays_.events) == tables::kMaxEvents) {
        diagnostics_.report(Severity::error, row.place, name_of(row), "EventName",
                            fmt::format("{} at most {} events; the rest is left out",
                                        full ? "a model has" : "all models together have",
                                        full ? tables::kMaxModelEvents : tables::kMaxEvents));
        break;
      }
      arrays_.entries.push_back(
          tables::make_entry(interner_.event_index(row.event), row.counter_set));
      ++arrays_.pmus.back().count;
      last = &row;
    }
    model.pmu_count = size32(arrays_.pmus) - model.first_pmu;
    add_slots(model, first_entry);
    add_metrics(model, rows.metrics);
    model_index_[folded(name)] = size32(arrays_.models);
    arrays_.models.push_back(model);
  }

  /// Those of one tree may have the same name, as in perf; a later tree replaces them all.
  void add_metrics(tables::Model& model, const std::vector<MetricRow>& rows) {
    model.first_metric = size32(arrays_.metric_entries);
    const MetricRow* last = nullptr;
    for (const MetricRow& row : rows) {
      if (last && last->pmu == row.pmu && last->name == row.name && last->tree != row.tree)
        continue;
      arrays_.metric_entries.push_back(
          static_cast<std::uint16_t>(interner_.metric_index(row.metric)));
      last = &row;
    }
    model.metric_count = size32(arrays_.metric_entries) - model.first_metric;
  }

  void report_duplicate(const EventRow& first, const EventRow& second) {
    diagnostics_.report(Severity::warning, second.place, name_of(second), "EventName",
                        fmt::format("stands twice on PMU {}; the first counts ({})", second.pmu,
                                    diagnostics_.file(first.place.file)));
  }

  /// Linear probing, at most two thirds full.
  void add_slots(tables::Model& model, std::uint32_t first_entry) {
    const std::uint32_t count = size32(arrays_.entries) - first_entry;
    model.first_slot = size32(arrays_.slots);
    if (count == 0) return;
    model.slot_count = std::bit_ceil(count + count / 2 + 1);
    arrays_.slots.resize(arrays_.slots.size() + model.slot_count, 0);
    const std::uint32_t mask = model.slot_count - 1;
    for (std::uint32_t entry = 0; entry < count; ++entry) {
      const tables::Event& event =
          arrays_.events[tables::event_of(arrays_.entries[first_entry + entry])];
      std::uint32_t i = tables::name_hash(arrays_.strings.data() + event.name) & mask;
      while (arrays_.slots[model.first_slot + i] != 0) i = (i + 1) & mask;
      arrays_.slots[model.first_slot + i] = static_cast<std::uint16_t>(entry + 1);
    }
  }

  void check_metrics() {
    if (std::max(arrays_.metrics.size(), arrays_.symbols.size()) <= tables::kMaxMetrics) return;
    diagnostics_.report(
        Severity::error, {diagnostics_.add_file(trees_.back().path), 0}, "", "",
        fmt::format("more than {} metrics, or names in their expressions", tables::kMaxMetrics));
  }

  void map_models(const ArchDir& tree) {
    if (tree.mapfile.empty()) return add_map_rows(tree.map_rows);
    const auto rows = read_mapfile(tree.mapfile, diagnostics_);
    lint_mapfile(arrays_.arch, rows, diagnostics_);
    add_map_rows(rows);
  }

  void add_map_rows(const std::vector<MapfileRow>& rows) {
    for (const MapfileRow& row : rows) {
      const std::string name = folded(row.directory);
      if (const auto model = model_index_.find(name); model != model_index_.end())
        add_row(row, model->second);
      else if (left_out_.contains(name))
        add_row(row, tables::kLeftOut);
      else
        diagnostics_.report(Severity::warning, row.place, "", row.directory,
                            "the row is dropped: no such directory, or nothing in it");
    }
  }

  void add_row(const MapfileRow& row, std::uint32_t model) {
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
      diagnostics_.report(Severity::warning,
                          {diagnostics_.add_file(trees_.back().path + "/" + name), 0}, "", "",
                          "no row of mapfile.csv leads to this model");
    }
  }

  template <class T>
  static std::uint32_t size32(const std::vector<T>& values) {
    return static_cast<std::uint32_t>(values.size());
  }

  std::span<const ArchDir> trees_;
  Diagnostics& diagnostics_;
  tables::TableArrays arrays_;
  Interner interner_;
  StandardEntries standard_;
  std::map<std::string, ModelRows> models_;
  std::map<std::string, std::string> groups_;
  std::map<std::string, std::uint32_t> model_index_;
  std::set<std::string> left_out_;
};

}  // namespace

tables::TableArrays build_tables(std::span<const ArchDir> trees, Diagnostics& diagnostics) {
  return Builder(trees, diagnostics).build();
}

tables::TableArrays build_tables(std::span<const ArchDir> trees, const Beneath& beneath,
                                 Diagnostics& diagnostics) {
  Builder builder(trees, diagnostics);
  builder.lay_over(beneath);
  return builder.build();
}

tables::TableArrays list_models(const ArchDir& tree, Diagnostics& diagnostics) {
  return Builder({&tree, 1}, diagnostics).build_models();
}

std::vector<std::vector<ArchDir>> group_by_architecture(std::span<const std::string> roots) {
  std::map<std::string, std::vector<ArchDir>> groups;
  for (const std::string& root : roots)
    for (ArchDir& arch : find_architectures(root)) groups[arch.arch].push_back(std::move(arch));
  std::vector<std::vector<ArchDir>> out;
  for (auto& [name, trees] : groups) out.push_back(std::move(trees));
  return out;
}

}  // namespace evname::gen
