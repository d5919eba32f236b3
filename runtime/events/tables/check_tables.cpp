#include "events/tables/check_tables.hpp"

#include <algorithm>
#include <bit>

namespace evname::tables {
namespace {

bool has_run(std::size_t size, std::size_t first, std::size_t count) {
  return first <= size && count <= size - first;
}

/// The rules of each element of the arrays.
class Checker {
 public:
  explicit Checker(const ArchTables& tables) : all_(tables) {}

  bool operator()(Text text) const { return text < all_.strings.size(); }
  bool operator()(const StoredTerm& term) const {
    return (*this)(term.text) && term.name < all_.term_names.size() &&
           term.spelling <= Spelling::text;
  }
  bool operator()(const Event& event) const {
    return has_texts({event.name, event.desc, event.long_desc}) &&
           event.traits < all_.event_traits.size() &&
           has_run(all_.term_lists.size(), event.terms, event.term_count) &&
           event.latency < all_.latencies.size();
  }
  bool operator()(const EventTraits& traits) const {
    return has_texts({traits.topic, traits.scale_unit, traits.compat, traits.errata});
  }
  bool operator()(const PmuEvents& pmu) const {
    return (*this)(pmu.pmu) && has_run(all_.entries.size(), pmu.first, pmu.count);
  }
  bool operator()(const Model& model) const {
    return has_texts({model.name, model.source, model.example_cpuid}) &&
           has_run(all_.pmus.size(), model.first_pmu, model.pmu_count) &&
           has_run(all_.metric_entries.size(), model.first_metric, model.metric_count) &&
           has_slots(model);
  }
  bool operator()(const MapRow& row) const {
    return has_texts({row.pattern, row.version}) &&
           (row.model < all_.models.size() || row.model == kLeftOut);
  }
  bool operator()(const MapOverlap& rows) const {
    return std::max(rows.first, rows.second) < all_.map_rows.size();
  }
  bool operator()(const Metric& metric) const {
    return has_texts({metric.pmu, metric.name, metric.group, metric.expr, metric.threshold,
                      metric.desc, metric.long_desc, metric.unit, metric.compat, metric.no_group,
                      metric.default_group, metric.sample}) &&
           metric.expr_program != 0 &&
           std::max(metric.expr_program, metric.threshold_program) < all_.programs.size();
  }
  bool operator()(const Program& program) const {
    return has_run(all_.steps.size(), program.first_step, program.step_count) &&
           has_run(all_.numbers.size(), program.first_number, program.number_count) &&
           has_run(all_.symbol_lists.size(), program.first_symbol, program.symbol_count) &&
           leaves_one_number(program);
  }
  bool operator()(const Symbol& symbol) const {
    return has_run(all_.strings.size(), symbol.name, symbol.size) &&
           symbol.kind <= expression::SymbolKind::literal;
  }
  bool operator()(const MetricGroup& group) const { return has_texts({group.name, group.desc}); }

 private:
  bool has_texts(std::initializer_list<Text> texts) const {
    return std::ranges::max(texts) < all_.strings.size();
  }

  /// In a model with slots, the first PMU's entries come first, then the other PMUs'.
  bool has_slots(const Model& model) const {
    if (model.slot_count == 0) return true;
    if (!std::has_single_bit(model.slot_count) || model.pmu_count == 0 ||
        !has_run(all_.slots.size(), model.first_slot, model.slot_count))
      return false;
    const auto pmus = all_.pmus.subspan(model.first_pmu, model.pmu_count);
    if (!std::ranges::is_sorted(pmus, {}, &PmuEvents::first)) return false;
    const std::size_t entries = pmus.back().first + pmus.back().count - pmus.front().first;
    const auto slots = all_.slots.subspan(model.first_slot, model.slot_count);
    return std::ranges::max(slots) <= entries &&
           std::ranges::find(slots, std::uint16_t{0}) != slots.end();
  }

  /// The first program has no steps: it stands for none.
  bool leaves_one_number(const Program& program) const {
    using expression::Op;
    std::size_t depth = 0;
    for (const expression::Step step : all_.steps.subspan(program.first_step, program.step_count)) {
      const unsigned taken = expression::operand_count(step.op);
      const bool is_number = step.op == Op::number;
      if (step.op > Op::select || taken > depth) return false;
      if (taken == 0 && step.operand >= (is_number ? program.number_count : program.symbol_count))
        return false;
      depth = depth - taken + 1;
      if (depth > expression::kMaxDepth) return false;
    }
    return depth == (&program == all_.programs.data() ? 0 : 1);
  }

  const ArchTables& all_;
};

}  // namespace

bool are_sound(const ArchTables& tables) {
  if (tables.strings.empty() || tables.strings.back() != '\0' ||
      tables.slots.size() != tables.slot_tags.size() || tables.counters.empty() ||
      tables.latencies.empty() || tables.programs.empty())
    return false;
  const Checker holds(tables);
  const auto all_below = [](const auto& indexes, std::size_t size) {
    return std::ranges::all_of(indexes, [&](const auto index) { return index < size; });
  };
  const auto is_entry = [&](std::uint32_t entry) {
    return event_of(entry) < tables.events.size() && counters_of(entry) < tables.counters.size();
  };
  return all_below(tables.term_lists, tables.terms.size()) &&
         all_below(tables.metric_entries, tables.metrics.size()) &&
         all_below(tables.symbol_lists, tables.symbols.size()) &&
         std::ranges::all_of(tables.entries, is_entry) &&
         std::ranges::all_of(tables.term_names, holds) &&
         std::ranges::all_of(tables.terms, holds) && std::ranges::all_of(tables.events, holds) &&
         std::ranges::all_of(tables.event_traits, holds) &&
         std::ranges::all_of(tables.pmus, holds) && std::ranges::all_of(tables.models, holds) &&
         std::ranges::all_of(tables.map_rows, holds) &&
         std::ranges::all_of(tables.map_overlaps, holds) &&
         std::ranges::all_of(tables.metrics, holds) &&
         std::ranges::all_of(tables.programs, holds) &&
         std::ranges::all_of(tables.symbols, holds) &&
         std::ranges::all_of(tables.metric_groups, holds);
}

}  // namespace evname::tables
