#include "report/overview.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "evname/attr.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"

namespace evname::tools {
namespace {

constexpr std::size_t kSym = 1;  ///< its place in the keys of the report's rows

/// Shares are parts of samples, or of the time that threads waited.
using Weight = std::uint64_t SampleSums::*;

Weight weight_of(const TableKeys& of) {
  return of.waits ? &SampleSums::period : &SampleSums::samples;
}

/// Returns a row for each event, with all its samples.
std::vector<Report::Row> rows_of_events(const Report& report,
                                        std::span<const Report::Row> functions, Weight weight) {
  std::vector<Report::Row> rows;
  std::set<std::size_t> seen;
  std::uint64_t all = 0;
  for (const Report::Event& event : report.events()) all += event.*weight;
  for (const Report::Row& function : functions) {
    if (!seen.insert(function.event).second) continue;
    const Report::Event& event = report.events()[function.event];
    Report::Row& row = rows.emplace_back();
    static_cast<SampleSums&>(row) = event;
    row.keys = {event.name};
    row.event = function.event;
    row.of = all;
    row.share = ratio(row.*weight, all);
  }
  return rows;
}

/// Returns the rows of the event with most samples that has addresses, by function alone.
std::vector<Report::Row> rows_of_main_event(std::span<const Report::Row> functions) {
  const auto main =
      std::ranges::find_if(functions, [](const Report::Row& row) { return row.keys[kSym] != "-"; });
  std::vector<Report::Row> rows;
  for (auto row = main; row != functions.end() && row->event == main->event; ++row)
    rows.emplace_back(*row).keys.erase(rows.back().keys.begin());
  return rows;
}

Table table_of_functions(const std::vector<Report::Row>& rows, TableKeys of) {
  of.keys = {SortKey::sym};
  Table table = table_of(rows, of);
  table.has_totals = false;
  std::erase_if(table.columns, [](const Column& column) {
    return !column.is_key && column.name != "samples" && column.name != "share" &&
           column.name != "waited";
  });
  table.columns.back().name = "function";
  const auto length = [&rows, weight = weight_of(of)](Rows of) {
    return Cell::of(of.size() == 1 ? ratio(rows[of[0]].*weight, rows[0].*weight) : 0.0);
  };
  if (has_blocks(Screen::out))
    table.columns.insert(table.columns.end() - 1, {"", CellKind::bar, length});
  return table;
}

}  // namespace

bool samples_addresses(const Recording& file) {
  return std::ranges::any_of(file.events(), [&](const RecordedEvent& event) {
    return file.attr(event.attr).samples(perf_format::kSampleIp);
  });
}

namespace {

/// Samples may have more than the overview shows; `how` shows it.
struct Unshown {
  std::uint64_t fields;
  std::string_view what, how;
};
constexpr Unshown kUnshown[] = {
    {perf_format::kSampleBranchStack, "branches", "--branches"},
    {perf_format::kSampleDataSrc, "accesses of memory", "--mem and --c2c"},
    {perf_format::kSampleWeight | perf_format::kSampleWeightStruct, "weights", "--mem"},
    {perf_format::kSampleRead, "counters", "evname annotate -F +counters"},
};

}  // namespace

void tell_unshown(std::span<const Recording> files) {
  std::uint64_t sampled = 0;
  for (const Recording& file : files)
    for (const RecordedEvent& event : file.events()) sampled |= file.attr(event.attr).sample_type;
  std::string list;
  for (const Unshown& one : kUnshown)
    if ((sampled & one.fields) != 0)
      list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", one.what, one.how);
  if (!list.empty()) tell_note("samples also have {}", list);
}

void print_overview(const Report& report, const TableKeys& of, std::span<const std::string> words) {
  constexpr std::size_t kShown = 10;
  const std::vector<Report::Row> all = report.rows();
  const auto events = rows_of_events(report, all, weight_of(of));
  TableKeys by_event = of;
  by_event.keys = {SortKey::event};
  const Table table = table_of(events, by_event);
  print_text(table, *view_of(table, "", SIZE_MAX));
  const auto functions = rows_of_main_event(all);
  if (functions.empty()) return;
  const bool is_only = events.size() == 1;
  print_out("\nFunctions with most {}{}{}:\n", of.waits ? "time waited" : "samples",
            is_only ? "" : " of ", is_only ? "" : report.events()[functions[0].event].name);
  const Table of_functions = table_of_functions(functions, of);
  print_text(of_functions, *view_of(of_functions, "", kShown));
  std::string line;
  for (const std::string& word : words) line += as_typed(word) + " ";
  tell_note("more: evname report {}--sort {} --top 50", line,
            is_only ? "function" : "event,function");
}

}  // namespace evname::tools
