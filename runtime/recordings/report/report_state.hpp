#pragma once
// The contents of a Report.

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/text_pool.hpp"
#include "evname/report.hpp"
#include "recordings/report/access_collectors.hpp"
#include "recordings/report/branch_collector.hpp"
#include "recordings/report/chain_collector.hpp"
#include "recordings/report/data_places.hpp"
#include "recordings/report/detailed_report.hpp"
#include "recordings/report/grid_collector.hpp"
#include "recordings/report/instruction_collector.hpp"

namespace evname::report {

/// The rows of a report while samples are added to them.
struct RowTable {
  struct Row {
    SampleSums sums;
    std::uint32_t event = 0;  ///< of the report; of its first sample
    std::uint32_t node = 0;   ///< of keys: the value of its last key
    std::uint64_t children = 0, children_period = 0;
    std::uint64_t counted = 0;  ///< the number of the last sample in `children`
    Report::Weights weights = {};
    Report::Branches branches = {};
  };
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::vector<Row> rows;
  PairTree keys;
  std::vector<std::uint32_t> row_of_node;

  /// The row with these values; a new one if there is none.
  std::uint32_t find(std::span<const std::uint32_t> values, std::uint32_t event) {
    std::uint32_t node = PairTree::kRoot;
    for (const std::uint32_t value : values) node = keys.child(node, value);
    if (node >= row_of_node.size()) row_of_node.resize(node + 1, kNone);
    if (row_of_node[node] == kNone) {
      row_of_node[node] = static_cast<std::uint32_t>(rows.size());
      rows.push_back({{}, event, node});
    }
    return row_of_node[node];
  }
};

struct State {
  explicit State(ReportOptions how) : options(std::move(how)) {}

  ReportOptions options;
  Details details = {};
  TextPool texts;
  std::vector<Report::Event> events;
  std::vector<bool> wanted;  ///< accepted by the filter by event; parallel to events
  std::unordered_map<std::string, std::uint32_t> event_index;  ///< by name and PMU
  std::unordered_map<std::string, std::uint32_t> first_of_name;
  RowTable table;
  GridCollector grid;
  InstructionCollector instructions;
  FramePool frames;
  PairTree threads;  ///< names, then ids
  LinePool lines;
  MemoryCollector memory;
  SharingCollector sharing;
  BranchCollector branches;
  ChainCollector chains;
  std::uint64_t samples = 0;
  std::vector<std::uint64_t> branching;  ///< samples with a branch; parallel to events
  /// The files of functions without names: the numbers of their name and their build id, or
  /// kAbsent.
  Numbers<std::pair<std::uint32_t, std::uint32_t>> unnamed_files;
  std::vector<std::uint64_t> unnamed;  ///< samples in such functions, by file
  std::set<std::size_t> text_fields;   ///< places in options.fields: some values are no numbers
  std::shared_ptr<const Symbols> own_symbols;  ///< shared by copies

  const Symbols& symbols() {
    if (options.symbols) return *options.symbols;
    if (!own_symbols) own_symbols = std::make_shared<Symbols>();
    return *own_symbols;
  }
};

/// Returns the number of an event in the report; adds it if it is new.
std::uint32_t event_index(State& state, const RecordedEvent& event);

/// Adds the samples of a recording, as Report::add().
Result<SampleTally> add(State& state, const Recording& file);

}  // namespace evname::report
