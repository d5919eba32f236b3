#pragma once
// `evname report --stdio`: chooses perf's table for the options and the recordings.

#include <optional>
#include <span>

#include "report/options.hpp"
#include "report/perf/table.hpp"

namespace evname::tools {

/// Returns the table, and sets what the report has to add up for it. Returns nullopt after
/// reporting why there is none.
std::optional<PerfTable> choose_perf_table(const ReportArguments& options,
                                           std::span<const Recording> files, ReportOptions& how);

/// Prints the header of --header and --header-only, or how to get it.
void print_header(const PerfTableArguments& options, const Recording& file);

}  // namespace evname::tools
