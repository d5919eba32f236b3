// evname report: what the samples of recordings add up to.

#include "evname/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "input/filters.hpp"
#include "input/no_match.hpp"
#include "input/recording.hpp"
#include "output/file.hpp"
#include "output/json_line.hpp"
#include "output/standard.hpp"
#include "report/page.hpp"
#include "screen/progress.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"
#include "text.hpp"

namespace evname::tools {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string keys = "event", html;
  FilterOptions filter;
  bool json = false;
  bool salvage = false;
  unsigned jobs = 0;
};

std::string seconds(std::uint64_t ns) {
  return fmt::format("{}.{:06}", ns / 1'000'000'000, ns % 1'000'000'000 / 1000);
}

bool is_timed(const ReportRow& row) { return row.first <= row.last; }

/// What rows add up to. `event_key`: the key that they have in common, past the end if none.
ReportRow total_of(std::span<const ReportRow> rows, std::size_t event_key) {
  ReportRow total;
  total.keys.assign(rows[0].keys.size(), "");
  total.keys[event_key == 0 ? 1 : 0] = "(total)";
  if (event_key < total.keys.size()) total.keys[event_key] = rows[0].keys[event_key];
  for (const ReportRow& row : rows) {
    total.samples += row.samples;
    total.period += row.period;
    total.first = std::min(total.first, row.first);
    total.last = std::max(total.last, row.last);
    total.lost += row.lost;
    total.throttled += row.throttled;
  }
  total.share = total.samples > 0 ? 1 : 0;
  return total;
}

/// Each block of rows, whose shares are of the same event, and then its total.
std::vector<ReportRow> with_totals(const std::vector<ReportRow>& rows, std::size_t event_key) {
  std::vector<ReportRow> out;
  const std::size_t keys = rows.empty() ? 0 : rows[0].keys.size();
  const std::size_t block_key = keys > 1 ? event_key : keys;
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    for (end = begin + 1; end < rows.size(); ++end)
      if (block_key < keys && rows[end].keys[block_key] != rows[begin].keys[block_key]) break;
    const auto block = std::span(rows).subspan(begin, end - begin);
    out.insert(out.end(), block.begin(), block.end());
    out.push_back(total_of(block, block_key));
  }
  return out;
}

struct Column {
  std::string title;
  std::vector<std::string> cells = {};
  bool is_text = false;
  std::size_t width = title.size();
};

/// Numbers to the right, keys to the left; the last column has no spaces after it.
void print_columns(const std::vector<Column>& columns) {
  for (std::size_t i = 0; i <= columns[0].cells.size(); ++i) {
    std::string line;
    for (const Column& column : columns) {
      const std::string& cell = i == 0 ? column.title : column.cells[i - 1];
      const bool last = &column == &columns.back();
      line += column.is_text ? fmt::format("{:<{}}", cell, last ? 0 : column.width)
                             : fmt::format("{:>{}}", cell, column.width);
      if (!last) line += "  ";
    }
    print_out("{}\n", line);
  }
}

/// The columns of what is rare are left out where there is none.
void print_rows(const std::vector<ReportRow>& rows, const std::vector<std::string>& names) {
  const auto event = std::ranges::find(names, "event") - names.begin();
  const auto all = with_totals(rows, static_cast<std::size_t>(event));
  std::vector<Column> columns;
  const auto add = [&](const char* title, auto cell_of) {
    Column column{title};
    for (const ReportRow& row : all) {
      column.cells.push_back(cell_of(row));
      column.width = std::max(column.width, column.cells.back().size());
    }
    columns.push_back(std::move(column));
  };
  const auto number = [](std::uint64_t value) { return fmt::format("{}", value); };
  add("samples", [&](const ReportRow& row) { return number(row.samples); });
  add("share", [](const ReportRow& row) { return fmt::format("{:.1f}%", row.share * 100); });
  const bool mixed = event == 0 && names.size() == 1;  // periods of different events
  add("period", [&](const ReportRow& row) {
    return mixed && &row == &all.back() ? "-" : number(row.period);
  });
  add("first", [](const ReportRow& row) { return is_timed(row) ? seconds(row.first) : "-"; });
  add("last", [](const ReportRow& row) { return is_timed(row) ? seconds(row.last) : "-"; });
  if (std::ranges::any_of(rows, [](const ReportRow& row) { return row.lost > 0; }))
    add("lost", [&](const ReportRow& row) { return number(row.lost); });
  if (std::ranges::any_of(rows, [](const ReportRow& row) { return row.throttled > 0; }))
    add("throttled", [&](const ReportRow& row) { return number(row.throttled); });
  for (std::size_t i = 0; i < names.size(); ++i) {
    add(names[i].c_str(), [&](const ReportRow& row) { return one_line(Screen::out, row.keys[i]); });
    columns.back().is_text = true;
  }
  print_columns(columns);
}

std::vector<std::string> names_of(const std::vector<SortKey>& keys) {
  std::vector<std::string> names;
  for (const SortKey key : keys)
    names.emplace_back(sort_key_names()[static_cast<std::size_t>(key)]);
  return names;
}

/// Numbers as numbers, as in the objects of `annotate`; "-" is what was not sampled.
void add_key(JsonLine& line, const std::string& name, const std::string& value) {
  const bool is_number = name == "pid" || name == "tid" || name == "cpu";
  if (value == "-")
    line.null(name);
  else if (is_number)
    line.number_text(name, value);
  else
    line.text(name, value);
}

void print_json(const std::vector<ReportRow>& rows, const std::vector<std::string>& names) {
  for (const ReportRow& row : rows) {
    JsonLine line;
    for (std::size_t i = 0; i < names.size(); ++i) add_key(line, names[i], row.keys[i]);
    line.number("samples", row.samples).real("share", row.share).number("of", row.of);
    line.number("period", row.period);
    is_timed(row) ? line.seconds("first", row.first) : line.null("first");
    is_timed(row) ? line.seconds("last", row.last) : line.null("last");
    line.number("lost", row.lost).number("throttled", row.throttled);
  }
}

bool write_page(const Options& options, const std::string& page) {
  std::vector<std::string> made_from = options.files;
  for (const std::string& path : options.files) made_from.push_back(path + "/data");
  return write_file(options.html, page, made_from);
}

int report(const Options& options) {
  const auto keys = parse_sort_keys(options.keys);
  ReportOptions how;
  if (!keys) {
    tell_error("--sort: {}; there are {}", keys.error().message, keys.error().hint);
    return kUnusable;
  }
  if (!options.filter.fill(how.filter)) return kUnusable;
  how.keys = *keys;
  how.histogram = !options.html.empty();
  if (how.histogram) how.keys = {SortKey::event};
  how.pass.salvage = options.salvage;
  how.pass.jobs = options.jobs;
  Progress progress;
  how.pass.progress = progress.callback();
  // One that can't be read does not hide the others.
  std::vector<PerfData> files;
  for (const std::string& path : options.files)
    if (const auto file = open_perf_file(path)) files.push_back(*file);
  if (files.empty()) return kUnusable;
  if (const auto times = options.filter.fill_times(files[0], how.filter); !times) {
    tell_error("{}", times.error().text());
    return kUnusable;
  }
  Report result(how);
  std::vector<std::string> warnings;
  int code = files.size() == options.files.size() ? kDone : kPartial;
  for (const PerfData& file : files) {
    const SampleTally tally = result.add(file);
    progress.end();
    const auto unread = options.salvage ? Unread::gone : Unread::salvageable;
    code = std::max(code, finish_pass(file, tally, unread));
    warnings.insert(warnings.end(), tally.warnings.begin(), tally.warnings.end());
  }
  if (result.samples() == 0 && options.filter.is_set()) {
    tell_no_match(options.filter, how.filter, files);
    return kPartial;
  }
  if (how.histogram)
    return write_page(options, report_page(result, files, warnings)) ? code : int{kUnusable};
  options.json ? print_json(result.rows(), names_of(*keys))
               : print_rows(result.rows(), names_of(*keys));
  return code;
}

}  // namespace

void add_report(Command& command) {
  auto& options = command.runs(report);
  command.option("FILE", options.files, "perf.data, one or more; - reads standard input")
      .required();
  command
      .option("--sort", options.keys, "Rows by event,file,pmu,comm,pid,tid,cpu; by default event")
      .value_name("KEYS");
  command
      .option("--html", options.html,
              "Write a page with a histogram of each event, for a browser, to this file")
      .value_name("FILE");
  command.flag("--json", options.json, "One JSON object per row");
  command.flag("--salvage", options.salvage, "Continue after damaged records");
  add_jobs(command, options.jobs);
  options.filter.add_to(command);
  command.notes(
      "share is of all samples or, where rows are by event and something else, of the event's,\n"
      "whose rows follow each other. Each table, or event, ends with its total. lost and\n"
      "throttled are told by event only; in text they are left out where there are none.");
}

}  // namespace evname::tools
