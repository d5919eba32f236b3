// evname report: what the samples of recordings add up to.

#include "evname/report.hpp"

#include <fmt/format.h>

#include "input/filters.hpp"
#include "input/recording.hpp"
#include "output/file.hpp"
#include "output/json_line.hpp"
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

void print_rows(const std::vector<ReportRow>& rows, const std::string& title) {
  fmt::print("{:>10} {:>7} {:>14} {:>14} {:>14} {:>6} {:>9}  {}\n", "samples", "share", "period",
             "first", "last", "lost", "throttled", title);
  for (const ReportRow& row : rows) {
    const bool timed = row.first <= row.last;
    std::string keys;
    for (const std::string& key : row.keys) keys += (keys.empty() ? "" : "  ") + key;
    fmt::print("{:>10} {:>6.1f}% {:>14} {:>14} {:>14} {:>6} {:>9}  {}\n", row.samples,
               row.share * 100, row.period, timed ? seconds(row.first) : "-",
               timed ? seconds(row.last) : "-", row.lost, row.throttled, keys);
  }
}

void print_json(const std::vector<ReportRow>& rows, const std::vector<std::string>& names) {
  for (const ReportRow& row : rows) {
    JsonLine line;
    for (std::size_t i = 0; i < names.size(); ++i) line.text(names[i], row.keys[i]);
    line.number("samples", row.samples).real("share", row.share).number("period", row.period);
    const bool timed = row.first <= row.last;
    timed ? line.text("first", seconds(row.first)) : line.null("first");
    timed ? line.text("last", seconds(row.last)) : line.null("last");
    line.number("lost", row.lost).number("throttled", row.throttled);
  }
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
    code = std::max(code, finish_pass(file, tally));
    warnings.insert(warnings.end(), tally.warnings.begin(), tally.warnings.end());
  }
  if (how.histogram)
    return write_file(options.html, report_page(result, files, warnings)) ? code : int{kUnusable};
  std::vector<std::string> names;
  for (std::string_view name : split(options.keys, ',')) names.emplace_back(name);
  options.json ? print_json(result.rows(), names) : print_rows(result.rows(), options.keys);
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
      "share is of all samples or, where rows are by event and something else, of the event's;\n"
      "lost and throttled are told by event only.");
}

}  // namespace evname::tools
