#pragma once
// Reading the metrics of the tables.

#include <span>
#include <string_view>

#include "events/tables/model_view.hpp"

namespace evname::tables {

/// What evaluates the program.
inline expression::Code code_of(const ArchTables& arch, const Program& program) {
  return {arch.steps.subspan(program.first_step, program.step_count),
          arch.numbers.subspan(program.first_number, program.number_count)};
}

/// Indexes into arch.symbols, in the order of the program's values.
inline std::span<const std::uint16_t> symbols_of(const ArchTables& arch, const Program& program) {
  return arch.symbol_lists.subspan(program.first_symbol, program.symbol_count);
}

/// Without the escapes of expressions.
inline std::string_view name_of(const ArchTables& arch, const Symbol& symbol) {
  return {arch.strings.data() + symbol.name, symbol.size};
}

/// The same in memory of its own.
expression::Program program_of(const ArchTables& arch, const Program& program);

/// Indexes into arch.metrics, by PMU, then by name.
inline std::span<const std::uint16_t> metrics_of(const ModelView& view) {
  return view.arch().metric_entries.subspan(view.model->first_metric, view.model->metric_count);
}

}  // namespace evname::tables
