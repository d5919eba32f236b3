#pragma once
// The options of `evname report`.

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "input/filters.hpp"
#include "input/recording.hpp"

namespace evname::tools {

/// The options of perf's table.
struct PerfTableArguments {
  bool stdio = false, no_children = false, samples = false, period = false, cpu_shares = false;
  bool hierarchy = false, quiet = false, header = false, header_only = false, full_header = false;
  bool stats = false, tasks = false, dump = false, inverted = false;
  std::string fields, separator, least, most_frames, symbols, symbol_part, dsos;

  /// Returns true if records are printed instead of a table.
  bool is_of_records() const { return stats || tasks || dump || header_only; }
  /// One of these options is given that only perf's table obeys.
  bool is_wanted() const {
    return stdio || period || cpu_shares || hierarchy || header || header_only || full_header ||
           stats || tasks || dump || inverted ||
           !(fields + separator + least + most_frames + symbols + symbol_part + dsos).empty();
  }
};

struct ReportArguments {
  const Command* command = nullptr;
  std::vector<std::string> files;
  std::string keys, html, order, top, metrics, min_samples, levels;
  FilterOptions filter;
  NamedFunctions functions;
  TraceArguments traces;
  bool json = false;
  bool csv = false;
  bool guard_formulas = false;
  bool diff = false;
  bool children = false;
  PassOptions pass;
  std::string call_graph;
  bool force = false;
  bool topdown = false;
  bool memory = false;
  bool sharing = false;
  bool branches = false;
  std::string display, coalesce;
  bool instructions = false;
  bool whole_functions = false;
  std::string syntax;
  PerfTableArguments perf;

  bool has_metrics() const { return topdown || !metrics.empty(); }
  /// Nothing says what to print but, maybe, which samples count.
  bool wants_overview() const {
    return (keys + html + order + top).empty() && !has_metrics() && !memory && !sharing &&
           !branches && !instructions && !diff && !children && !json && !csv && !perf.is_wanted();
  }
  /// Keeps recordings separate: on a page, and to compare them.
  bool is_apart() const { return diff || !html.empty(); }
};

/// Declares all options and the notes below them.
void add_report_options(Command& command, ReportArguments& options);

/// Moves perf's word for an order, as in `-g caller`, from the files to `order`, if no such file
/// exists.
void leave_out_order(std::vector<std::string>& files, std::string& order);

/// Returns the fault of the options' combination; "" if there is none.
std::string_view report_problem(const ReportArguments& options);

}  // namespace evname::tools
