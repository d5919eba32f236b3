#pragma once
// Small hand-made tables: rows to the arrays that the generator would emit.
// Slots follow the description in tables/tables.hpp; numbers keep jevents' spelling.

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "expression/expression.hpp"
#include "tables/lookup.hpp"

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
  explicit EventTables(std::string arch) : arch_(std::move(arch)), strings_(1, '\0') {}

  /// Gives the model's index.
  std::size_t add_model(const std::string& name, std::vector<EventRow> rows = {EventRow{}},
                        std::uint32_t flags = 0) {
    std::stable_sort(rows.begin(), rows.end(), [](const EventRow& a, const EventRow& b) {
      return std::pair(a.pmu, to_lower(a.name)) < std::pair(b.pmu, to_lower(b.name));
    });
    tables::Model model{};
    model.name = text(name);
    model.flags = flags;
    model.first_pmu = size(pmus_);
    const std::uint32_t first_entry = size(entries_);
    for (const EventRow& row : rows) add_event(row, model);
    model.pmu_count = size(pmus_) - model.first_pmu;
    add_slots(model, first_entry);
    models_.push_back(model);
    return models_.size() - 1;
  }

  /// Adds to the model that was added last.
  void add_metric(const MetricRow& row) {
    tables::Model& model = models_.back();
    if (model.metric_count++ == 0) model.first_metric = size(metric_entries_);
    metric_entries_.push_back(static_cast<std::uint16_t>(metrics_.size()));
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
    metrics_.push_back(metric);
  }
  void add_metric_group(const std::string& name, const std::string& desc) {
    metric_groups_.push_back({text(name), text(desc)});
  }

  /// A row of the mapfile for a model that was added.
  void add_row(const std::string& pattern, std::size_t model) {
    map_rows_.push_back({text(pattern), 0, static_cast<std::uint32_t>(model)});
  }

  /// A model of one event together with its mapfile row.
  void mapped(const std::string& pattern, const std::string& name) {
    add_row(pattern, add_model(name));
  }

  /// How many counters the PMUs of that name have, in all models.
  void set_counters(const std::string& pmu, std::uint16_t generic, std::uint16_t fixed) {
    for (tables::PmuEvents& list : pmus_)
      if (list.pmu == text(pmu)) list.generic_counters = generic, list.fixed_counters = fixed;
  }

  tables::ArchTables build() const {
    tables::ArchTables out{};
    out.arch = arch_;
    out.strings = strings_;
    out.term_names = term_names_;
    out.terms = terms_;
    out.term_lists = term_lists_;
    out.events = events_;
    out.entries = entries_;
    out.slots = slots_;
    out.pmus = pmus_;
    out.models = models_;
    out.metrics = metrics_;
    out.metric_entries = metric_entries_;
    out.programs = programs_;
    out.steps = steps_;
    out.numbers = numbers_;
    out.symbols = symbols_;
    out.symbol_lists = symbol_lists_;
    out.metric_groups = metric_groups_;
    out.map_rows = map_rows_;
    out.counters = counters_;
    return out;
  }

  tables::ModelView view(std::size_t model) const { return {build(), &models_[model]}; }

 private:
  template <class T>
  static std::uint32_t size(const std::vector<T>& items) {
    return static_cast<std::uint32_t>(items.size());
  }

  tables::Text text(const std::string& value) {
    if (value.empty()) return 0;
    const auto [at, is_new] = known_.try_emplace(value, static_cast<tables::Text>(strings_.size()));
    if (is_new) strings_.insert(strings_.end(), value.c_str(), value.c_str() + value.size() + 1);
    return at->second;
  }

  std::uint32_t program(const std::string& expr) {
    if (expr.empty()) return 0;
    const metric::Program from = metric::parse_expression(expr).value();
    tables::Program to{};
    to.first_step = size(steps_);
    to.first_number = size(numbers_);
    to.first_symbol = size(symbol_lists_);
    to.step_count = static_cast<std::uint16_t>(from.steps.size());
    to.number_count = static_cast<std::uint16_t>(from.numbers.size());
    to.symbol_count = static_cast<std::uint16_t>(from.symbols.size());
    steps_.insert(steps_.end(), from.steps.begin(), from.steps.end());
    numbers_.insert(numbers_.end(), from.numbers.begin(), from.numbers.end());
    for (const metric::Symbol& symbol : from.symbols) {
      symbol_lists_.push_back(static_cast<std::uint16_t>(symbols_.size()));
      symbols_.push_back(
          {text(symbol.name), static_cast<std::uint16_t>(symbol.name.size()), symbol.kind, 0});
    }
    programs_.push_back(to);
    return size(programs_) - 1;
  }

  void add_event(const EventRow& row, const tables::Model& model) {
    if (size(pmus_) == model.first_pmu || pmus_.back().pmu != text(row.pmu))
      pmus_.push_back({text(row.pmu), size(entries_), 0});
    ++pmus_.back().count;
    tables::Event event{};
    event.name = text(to_lower(row.name));
    event.desc = text(row.desc);
    event.scale_unit = text(row.scale_unit);
    event.compat = text(row.compat);
    event.flags = row.flags;
    std::uint8_t counters = 0;
    if (row.counters.generic != 0 || row.counters.fixed != 0) {
      counters = static_cast<std::uint8_t>(counters_.size());
      counters_.push_back(row.counters);
    }
    event.terms = size(term_lists_);
    if (!row.terms.empty())
      for (const std::string_view term : split(row.terms, ',')) add_term(term);
    event.term_count = static_cast<std::uint16_t>(size(term_lists_) - event.terms);
    entries_.push_back(tables::make_entry(size(events_), counters));
    events_.push_back(event);
  }

  void add_term(std::string_view spelled) {
    const std::size_t equals = spelled.find('=');
    const tables::Text name = text(std::string(spelled.substr(0, equals)));
    auto at = std::find(term_names_.begin(), term_names_.end(), name);
    if (at == term_names_.end()) at = term_names_.insert(at, name);
    tables::Term term{};
    term.name = static_cast<std::uint16_t>(at - term_names_.begin());
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
    term_lists_.push_back(size(terms_));
    terms_.push_back(term);
  }

  void add_slots(tables::Model& model, std::uint32_t first_entry) {
    const std::uint32_t count = size(entries_) - first_entry;
    model.first_slot = size(slots_);
    model.slot_count = std::bit_ceil(2 * count + 1);
    slots_.resize(slots_.size() + model.slot_count);
    for (std::uint32_t entry = first_entry; entry < size(entries_); ++entry) {
      const char* name = strings_.data() + events_[tables::event_of(entries_[entry])].name;
      std::uint32_t at = tables::name_hash(name);
      while (slots_[model.first_slot + at % model.slot_count] != 0) ++at;
      slots_[model.first_slot + at % model.slot_count] =
          static_cast<std::uint16_t>(entry - first_entry + 1);
    }
  }

  std::string arch_;
  std::vector<char> strings_;
  std::map<std::string, tables::Text> known_;
  std::vector<tables::Text> term_names_;
  std::vector<tables::Term> terms_;
  std::vector<std::uint32_t> term_lists_;
  std::vector<tables::Event> events_;
  std::vector<std::uint32_t> entries_;
  std::vector<std::uint16_t> slots_;
  std::vector<tables::MapRow> map_rows_;
  std::vector<tables::PmuEvents> pmus_;
  std::vector<tables::Model> models_;
  std::vector<tables::Metric> metrics_;
  std::vector<std::uint16_t> metric_entries_, symbol_lists_;
  std::vector<tables::Program> programs_ = {tables::Program{}};
  std::vector<metric::Step> steps_;
  std::vector<double> numbers_;
  std::vector<tables::Symbol> symbols_;
  std::vector<tables::MetricGroup> metric_groups_;
  std::vector<tables::Counters> counters_ = {tables::Counters{}};
};

}  // namespace evname::test
