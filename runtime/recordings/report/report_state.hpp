#pragma once
// What a Report holds.

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "evname/report.hpp"
#include "recordings/report/row_table.hpp"
#include "recordings/report/stack_collector.hpp"
#include "recordings/report/text_pool.hpp"
#include "recordings/report/timeline_collector.hpp"

namespace evname::report {

struct State {
  explicit State(ReportOptions how) : options(std::move(how)), stacks(options.stacks) {}

  ReportOptions options;
  TextPool texts;
  std::vector<ReportEvent> events;
  std::vector<bool> wanted;  ///< that the filter by event leaves; parallel to events
  std::unordered_map<std::string, std::uint32_t> event_index;  ///< by name and PMU
  RowTable table;
  TimelineCollector timeline;
  PairTree threads;  ///< names, then ids
  StackCollector stacks;
  std::uint64_t samples = 0;
  std::shared_ptr<const Symbols> own_symbols;  ///< shared by copies

  const Symbols& symbols() {
    if (options.symbols) return *options.symbols;
    if (!own_symbols) own_symbols = std::make_shared<Symbols>();
    return *own_symbols;
  }
};

/// Adds the samples of a recording, as Report::add().
Result<SampleTally> add(State& state, const PerfData& file);

}  // namespace evname::report
