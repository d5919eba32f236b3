#pragma once
// The lines of perf's table: rows of a report, added up by the table's keys.

#include <cstdint>
#include <string>
#include <vector>

#include "report/perf/table.hpp"

namespace evname::tools {

/// Sums of one event. The kernel's and the programs' part are known by the file or the address.
struct PerfSums {
  std::uint64_t samples = 0, period = 0, children = 0, kernel = 0;

  void add(const Report::Row& row, bool with_children, bool of_kernel) {
    samples += row.samples;
    period += row.period;
    children += with_children ? row.children_period : row.period;
    kernel += of_kernel ? row.period : 0;
  }
  PerfSums& operator+=(const PerfSums& other) {
    samples += other.samples;
    period += other.period;
    children += other.children;
    kernel += other.kernel;
    return *this;
  }
};

/// The events of a table, and the sums of all their samples.
struct PerfBlock {
  std::vector<std::size_t> events;
  std::string name;
  std::vector<PerfSums> all;
};

/// The values of a row's keys, each of one or more parts.
using PerfKeyValues = std::vector<std::vector<std::string>>;

/// The samples with the same keys.
struct PerfLine {
  PerfKeyValues values;                 ///< of each key column
  std::vector<PerfSums> sums;           ///< parallel to PerfBlock::events
  std::vector<std::string> order = {};  ///< of the keys: see order_text()
  /// The keys of the report's rows, of the first event.
  std::vector<std::vector<std::string>> rows = {};
  std::size_t depth = 0;  ///< of the longest callchain
};

/// Returns the keys that are columns.
std::vector<PerfKey> keys_of(const PerfTable& table);

/// Returns the events that have samples, in the order of the recording, each with the others of its
/// group.
std::vector<PerfBlock> blocks_of(const Report& report, const PerfTable& table);

/// Adds up the report's rows by the table's keys, for each block, and the samples of the blocks.
std::vector<std::vector<PerfLine>> lines_of(const Report& report, const PerfTable& table,
                                            std::vector<PerfBlock>& blocks);

}  // namespace evname::tools
