#pragma once
// The arrays behind one architecture's tables, in memory: what the generator writes out and what a
// directory read at run time is looked up in.

#include <string>
#include <vector>

#include "tables/tables.hpp"

namespace evname::gen {

struct TableArrays {
  std::string arch;
  std::string strings = std::string(1, '\0');
  std::vector<tables::Text> term_names;
  std::vector<tables::Term> terms;
  std::vector<std::uint32_t> term_lists;
  std::vector<tables::Event> events;
  std::vector<std::uint32_t> entries;
  std::vector<std::uint16_t> slots;
  std::vector<tables::PmuEvents> pmus;
  std::vector<tables::Model> models;
  std::vector<tables::MapRow> map_rows;
  std::vector<tables::Metric> metrics;
  std::vector<std::uint16_t> metric_entries;
  std::vector<tables::Program> programs = {tables::Program{}};
  std::vector<metric::Step> steps;
  std::vector<double> numbers;
  std::vector<tables::Symbol> symbols;
  std::vector<std::uint16_t> symbol_lists;
  std::vector<tables::MetricGroup> metric_groups;
  std::vector<tables::Counters> counters{tables::Counters{}};

  /// Valid while this object is neither changed nor moved.
  tables::ArchTables view() const {
    return {arch,  strings, term_names, terms,        term_lists,    events,         entries,
            slots, pmus,    models,     map_rows,     metrics,       metric_entries, programs,
            steps, numbers, symbols,    symbol_lists, metric_groups, counters};
  }
};

}  // namespace evname::gen
