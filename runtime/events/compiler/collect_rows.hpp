#pragma once
// What the files of event trees say, as rows of the models that they belong to.

#include <map>
#include <span>
#include <string>
#include <vector>

#include "events/compiler/base_tables.hpp"
#include "events/compiler/entry.hpp"
#include "events/compiler/interner.hpp"
#include "events/trees/tree.hpp"

namespace evname::compiler {

struct EventRow {
  std::string pmu;
  tables::Event event;
  tables::Counters counters;
  trees::Place place;
  std::size_t tree;              ///< kBaseTables, or one more than its place among the trees
  std::uint8_t counter_set = 0;  ///< index into TableArrays::counters
};
constexpr std::size_t kBaseTables = 0;

struct MetricRow {
  std::string pmu, name;
  tables::Metric metric;
  std::size_t tree;
};

struct ModelRows {
  std::uint32_t flags = 0;
  std::string source;  ///< where its facts are from
  std::vector<EventRow> events;
  std::vector<MetricRow> metrics;
  std::map<std::string, CounterNumbers> counters;  ///< by PMU
};

/// Rows by PMU and name; of equal ones those of the latest tree first, then in file order.
struct CollectedRows {
  std::map<std::string, ModelRows> models;
  std::map<std::string, std::string> metric_groups;  ///< descriptions by name
};

/// Reads all files of the trees, each laid over the ones before and the first over `base` (which
/// may be nullptr), and the standard events as a model of their own.
CollectedRows collect_rows(std::span<const trees::ArchDir> trees, const BaseTables* base,
                           Interner& interner, trees::Diagnostics& diagnostics);

}  // namespace evname::compiler
