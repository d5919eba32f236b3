#pragma once
// Small hand-made tables: rows to the arrays that the generator would emit.
// Numbers are spelled as jevents.py spells them.

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "events/expression/parse.hpp"
#include "events/tables/arrays.hpp"
#include "events/tables/model_view.hpp"

namespace evname::test {

/// One event; terms as in the source: "event=0xd1,umask=0x20,inv,param=?".
struct EventRow {
  std::string pmu = "default_core";
  std::string name = {};
  std::string terms = {};
  std::string desc = {};
  std::string scale_unit = {};
  std::string compat = {};
  std::uint8_t flags = 0;
  tables::Counters counters = {};
};

/// One metric; texts as in the source.
struct MetricRow {
  std::string name = {};
  std::string expr = {};
  std::string group = {};
  std::string threshold = {};
  std::string unit = {};
  std::string desc = {};
  std::string pmu = "default_core";
  std::string compat = {};
  std::uint8_t constraint = 0;
  std::uint8_t aggregation = 0;
};

/// Owns the arrays; views stay valid while it lives. Add models, then build().
class EventTables {
 public:
  explicit EventTables(std::string arch) { arrays_.arch = std::move(arch); }

  /// Returns the index of the model.
  std::size_t add_model(const std::string& name, std::vector<EventRow> rows = {EventRow{}},
                        std::uint32_t flags = 0) {
    std::stable_sort(rows.begin(), rows.end(), [](const EventRow& a, const EventRow& b) {
      return std::pair(a.pmu, to_lower(a.name)) < std::pair(b.pmu, to_lower(b.name));
    });
    tables::Model model{};
    model.name = text(name);
    model.flags = flags;
    model.first_pmu = size(arrays_.pmus);
    const std::uint32_t first_entry = size(arrays_.entries);
    for (const EventRow& row : rows) add_event(row, model);
    model.pmu_count = size(arrays_.pmus) - model.first_pmu;
    tables::add_slots(arrays_, first_entry, model);
    arrays_.models.push_back(model);
    return arrays_.models.size() - 1;
  }

  /// Adds to the model that was added last.
  void add_metric(const MetricRow& row) {
    tables::Model& model = arrays_.models.back();
    if (model.metric_count++ == 0) model.first_metric = size(arrays_.metric_entries);
    arrays_.metric_entries.push_back(static_cast<std::uint16_t>(arrays_.metrics.size()));
    tables::Metric metric{};
    metric.name = text(row.name);
    metric.expr = text(row.expr);
    metric.group = text(row.group);
    metric.threshold = text(row.threshold);
    metric.unit = text(row.unit);
    metric.desc = text(row.desc);
    metric.pmu = text(row.pmu);
    metric.compat = text(row.compat);
    metric.constraint = row.constraint;
    metric.aggregation = row.aggregation;
    metric.expr_program = program(row.expr);
    metric.threshold_program = program(row.threshold);
    arrays_.metrics.push_back(metric);
  }
  void add_metric_group(const std::string& name, const std::string& desc) {
    arrays_.metric_groups.push_back({text(name), text(desc)});
  }

  /// Adds a row of the mapfile for a model.
  void add_row(const std::string& pattern, std::size_t model) {
    arrays_.map_rows.push_back({text(pattern), 0, static_cast<std::uint32_t>(model)});
  }

  /// Adds a model of one event and its row of the mapfile.
  void mapped(const std::string& pattern, const std::string& name) {
    add_row(pattern, add_model(name));
  }

  /// Sets the number of counters of the PMUs with that name, in all models.
  void set_counters(const std::string& pmu, std::uint16_t generic, std::uint16_t fixed) {
    for (tables::PmuEvents& list : arrays_.pmus)
      if (list.pmu == text(pmu)) list.generic_counters = generic, list.fixed_counters = fixed;
  }

  /// Returns views of the rows so far, which are valid until this object moves.
  const tables::ArchTables& build() const { return view_ = arrays_.view(); }

  tables::ModelView view(std::size_t model) const { return {build(), &arrays_.models[model]}; }

 private:
  template <class T>
  static std::uint32_t size(const std::vector<T>& items) {
    return static_cast<std::uint32_t>(items.size());
  }

  tables::Text text(const std::string& value) {
    if (value.empty()) return 0;
    const auto [at, is_new] =
        known_.try_emplace(value, static_cast<tables::Text>(arrays_.strings.size()));
    if (is_new) arrays_.strings.append(value.c_str(), value.size() + 1);
    return at->second;
  }

  std::uint32_t program(const std::string& expr) {
    if (expr.empty()) return 0;
    const expression::Program from = expression::parse_expression(expr).value();
    tables::Program to{};
    to.first_step = size(arrays_.steps);
    to.first_number = size(arrays_.numbers);
    to.first_symbol = size(arrays_.symbol_lists);
    to.step_count = static_cast<std::uint16_t>(from.steps.size());
    to.number_count = static_cast<std::uint16_t>(from.numbers.size());
    to.symbol_count = static_cast<std::uint16_t>(from.symbols.size());
    arrays_.steps.insert(arrays_.steps.end(), from.steps.begin(), from.steps.end());
    arrays_.numbers.insert(arrays_.numbers.end(), from.numbers.begin(), from.numbers.end());
    for (const expression::Symbol& symbol : from.symbols) {
      arrays_.symbol_lists.push_back(static_cast<std::uint16_t>(arrays_.symbols.size()));
      arrays_.symbols.push_back(
          {text(symbol.name), static_cast<std::uint16_t>(symbol.name.size()), symbol.kind, 0});
    }
    arrays_.programs.push_back(to);
    return size(arrays_.programs) - 1;
  }

  void add_event(const EventRow& row, const tables::Model& model) {
    if (size(arrays_.pmus) == model.first_pmu || arrays_.pmus.back().pmu != text(row.pmu))
      arrays_.pmus.push_back({text(row.pmu), size(arrays_.entries), 0});
    ++arrays_.pmus.back().count;
    tables::Event event{};
    event.name = text(to_lower(row.name));
    event.desc = text(row.desc);
    event.traits = static_cast<std::uint16_t>(arrays_.event_traits.size());
    arrays_.event_traits.push_back({0, text(row.scale_unit), text(row.compat), 0});
    event.flags = row.flags;
    std::uint8_t counters = 0;
    if (row.counters.generic != 0 || row.counters.fixed != 0) {
      counters = static_cast<std::uint8_t>(arrays_.counters.size());
      arrays_.counters.push_back(row.counters);
    }
    event.terms = size(arrays_.term_lists);
    if (!row.terms.empty())
      for (const std::string_view term : split(row.terms, ',')) add_term(term);
    event.term_count = static_cast<std::uint16_t>(size(arrays_.term_lists) - event.terms);
    arrays_.entries.push_back(tables::make_entry(size(arrays_.events), counters));
    arrays_.events.push_back(event);
  }

  void add_term(std::string_view spelled) {
    const std::size_t equals = spelled.find('=');
    const tables::Text name = text(std::string(spelled.substr(0, equals)));
    auto at = std::find(arrays_.term_names.begin(), arrays_.term_names.end(), name);
    if (at == arrays_.term_names.end()) at = arrays_.term_names.insert(at, name);
    tables::StoredTerm term{};
    term.name = static_cast<std::uint16_t>(at - arrays_.term_names.begin());
    term.value = 1;
    term.spelling = tables::Spelling::bare;
    term.numeric = 1;
    if (equals != std::string_view::npos) {
      const std::string_view value = spelled.substr(equals + 1);
      const auto number = parse_number(value);
      term.value = number.value_or(0);
      term.numeric = number.has_value();
      term.spelling = !number                   ? tables::Spelling::text
                      : value.starts_with("0x") ? tables::Spelling::hex
                                                : tables::Spelling::decimal;
      if (!number) term.text = text(std::string(value));
    }
    arrays_.term_lists.push_back(static_cast<std::uint16_t>(size(arrays_.terms)));
    arrays_.terms.push_back(term);
  }

  tables::TableArrays arrays_;
  mutable tables::ArchTables view_;
  std::map<std::string, tables::Text> known_;
};

}  // namespace evname::test
