#include "events/compiler/build_tables.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "events/compiler/collect_rows.hpp"
#include "events/trees/tree.hpp"
#include "events/trees/vendor_tree.hpp"

namespace evname::compiler {
namespace {

/// "arm/cortex-a57-a72" and "arm_cortex_a57_a72" name one directory in a mapfile.
std::string folded(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '/' || c == '-'; }, '_');
  return name;
}

/// A metric that depends on itself, and the last metric of the cycle.
struct MetricCircle {
  std::size_t metric, by_way_of;
};

/// Returns each cycle at least once. `needs` has, for each metric, the metrics in its expression.
/// A chain may be as long as a file, so the path is not on the stack.
std::vector<MetricCircle> find_circles(std::span<const std::vector<std::size_t>> needs) {
  enum class State : std::uint8_t { unseen, open, done };
  struct Visit {
    std::size_t metric, next = 0;
  };
  std::vector<State> states(needs.size());
  std::vector<Visit> path;
  std::vector<MetricCircle> out;
  const auto enter = [&](std::size_t metric) {
    states[metric] = State::open;
    path.push_back({metric});
  };
  for (std::size_t first = 0; first < needs.size(); ++first) {
    if (states[first] == State::unseen) enter(first);
    while (!path.empty()) {
      const std::size_t metric = path.back().metric;
      if (path.back().next == needs[metric].size()) {
        states[metric] = State::done;
        path.pop_back();
        continue;
      }
      const std::size_t needed = needs[metric][path.back().next++];
      if (states[needed] == State::open) out.push_back({needed, metric});
      if (states[needed] == State::unseen) enter(needed);
    }
  }
  return out;
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
    left_out_rows_ = std::move(collected.left_out);
    for (const auto& [name, desc] : collected.metric_groups)
      arrays_.metric_groups.push_back({interner_.text(name), interner_.text(desc)});
    for (auto& [name, rows] : collected.models) add_model(name, rows);
    for (const trees::ArchDir& tree : reversed()) map_models(tree);
    while (!arrays_.map_rows.empty() && arrays_.map_rows.back().model == tables::kLeftOut)
      arrays_.map_rows.pop_back();  // they take no CPU from other rows
    lint_unmapped();
    report_left_out();
    interner_.gather_term_names();
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
    for (EventRow& row : rows.events) {
      const auto known = rows.latencies.find(std::string(name_of(row)));
      if (known == rows.latencies.end() || row.event.latency != 0) continue;
      row.event.latency = interner_.latency(known->second);
      if (row.event.latency == 0)
        diagnostics_.report(trees::Severity::warning, row.place, name_of(row), "MEAN",
                            kTooManyLatencies);
    }
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

  /// Adds metrics. As in perf, the first of several with the same name counts: from a later tree,
  /// or read first.
  void add_metrics(tables::Model& model, const std::vector<MetricRow>& rows) {
    model.first_metric = size32(arrays_.metric_entries);
    const MetricRow* last = nullptr;
    for (const MetricRow& row : rows) {
      if (last && last->pmu == row.pmu && last->name == row.name) {
        if (last->tree == row.tree) report_duplicate(*last, row);
        continue;
      }
      if (const auto index = interner_.metric_index(row.metric))
        arrays_.metric_entries.push_back(*index);
      else
        left_out_rows_.add(row.place, row.name, "MetricName", interner_.lack());
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

  /// Reports metrics that depend on themselves, each cycle once.
  void report_circles(const std::vector<MetricRow>& rows);

  void report_left_out() {
    const auto& [place, name, key, lack, count] = left_out_rows_;
    if (count == 0) return;
    diagnostics_.report(
        trees::Severity::error, place, name, key,
        fmt::format("left out{}: no room for so many {}",
                    count > 1 ? fmt::format(", and {} after it", count - 1) : "", lack));
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
  std::set<std::string> left_out_;  ///< models
  LeftOut left_out_rows_;
};

void Builder::report_circles(const std::vector<MetricRow>& rows) {
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> by_name;
  for (std::size_t i = 0; i < rows.size(); ++i) by_name.try_emplace({rows[i].pmu, rows[i].name}, i);
  std::vector<std::vector<std::size_t>> needs(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const tables::Program& program = arrays_.programs[rows[row].metric.expr_program];
    for (std::size_t i = 0; i < program.symbol_count; ++i) {
      const auto& symbol = arrays_.symbols[arrays_.symbol_lists[program.first_symbol + i]];
      if (symbol.kind != expression::SymbolKind::event) continue;
      const std::string_view name(arrays_.strings.data() + symbol.name, symbol.size);
      const auto at = by_name.find({rows[row].pmu, name});
      if (at != by_name.end()) needs[row].push_back(at->second);
    }
  }
  // The kernel's tree has some on purpose, in the model for perf's tests.
  for (const MetricCircle& circle : find_circles(needs))
    diagnostics_.report(
        rows[circle.metric].is_makers ? trees::Severity::error : trees::Severity::warning,
        rows[circle.metric].place, rows[circle.metric].name, "MetricExpr",
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
