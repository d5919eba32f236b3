#pragma once
// The events and metrics of an architecture's trees as rows, in the order of the tables.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "events/compiler/entry.hpp"
#include "events/compiler/interner.hpp"
#include "events/tables/model_view.hpp"
#include "events/trees/diagnostics.hpp"
#include "events/trees/tree.hpp"

namespace evname::compiler {

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
  bool is_makers;
};

struct ModelRows {
  std::uint32_t flags = 0;
  std::string source;  ///< the source of its facts
  std::vector<EventRow> events;
  std::vector<MetricRow> metrics;
  std::map<std::string, CounterNumbers> counters;    ///< by PMU
  std::map<std::string, tables::Latency> latencies;  ///< of events whose entries do not state them
};

inline constexpr const char* kTooManyLatencies =
    "too many distinct latencies in one architecture; left out";

/// Items that the tables have no room for: the first one, and their number.
struct LeftOut {
  trees::Place place;
  std::string name, key;
  std::string_view lack;  ///< Interner::lack()
  std::size_t count = 0;

  void add(trees::Place at, std::string_view what, std::string_view of, std::string_view why);
};

/// Rows by PMU and name; equal rows by latest tree, then in file order.
struct CollectedRows {
  std::map<std::string, ModelRows> models;
  std::map<std::string, std::string> metric_groups;  ///< descriptions by name
  LeftOut left_out;
};

/// Reads all files of the trees, each laid over the ones before, and the standard events as a
/// separate model.
CollectedRows collect_rows(std::span<const trees::ArchDir> trees,
                           std::span<const tables::ModelView> below, Interner& interner,
                           trees::Diagnostics& diagnostics);

}  // namespace evname::compiler
