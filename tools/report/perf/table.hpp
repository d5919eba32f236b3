#pragma once
// The table of `perf report --stdio`, for people and scripts that know it.

#include <string>
#include <vector>

#include "perf_format/feature_types.hpp"
#include "report/perf/chains.hpp"
#include "report/perf/columns.hpp"

namespace evname::tools {

/// What to print, and how.
struct PerfTable {
  PerfColumns columns;
  std::string separator;      ///< of columns; "": columns are aligned
  double least = 0;           ///< percent; rows with less are left out
  bool hierarchy = false;     ///< rows of a key stand below their sum over the keys after it
  bool quiet = false;         ///< no comments and headers
  bool with_callers = false;  ///< the report counts callees for their callers, too
  /// Events whose rows are one table, as recorded.
  std::vector<perf_format::GroupDesc> groups = {};
  /// Of each event, if rows count branches; empty: the report knows.
  std::vector<std::uint64_t> samples = {};
  ///@{
  /// Only rows of these functions and files are shown; empty: of all. Shares are of all samples.
  std::vector<std::string> symbols = {}, files = {};
  std::string symbol_part = {};
  ///@}
  ///@{
  /// Callchains below the rows.
  ChainStyle chain_style = {};
  report::RowChains chains = {};
  ///@}

  bool chooses_rows() const { return !symbols.empty() || !files.empty() || !symbol_part.empty(); }
  /// Returns true if a function of a file is shown.
  bool shows(const std::string& symbol, const std::string& file) const;
  /// The keys that the report needs; the first is the event.
  std::vector<SortKey> keys() const;
};

/// Prints a table for each event or group of events that has samples.
void print_perf_table(const Report& report, const PerfTable& table);

}  // namespace evname::tools
