// The page of `evname report --html`: its data as JSON, in the text of the page.

#include "report/page/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include "base/enum_table.hpp"
#include "base/json_text.hpp"
#include "base/text.hpp"
#include "recordings/perf_data/recorded_facts.hpp"
#include "report/page/grid.hpp"
#include "report/table.hpp"

namespace evname::tools {

namespace {

constexpr auto kNamedBy = enum_values<NamedBy>({{NamedBy::recording, "recording"},
                                                {NamedBy::kernel, "kernel"},
                                                {NamedBy::tables, "tables"},
                                                {NamedBy::code, "code"}});

constexpr std::size_t kMostRows = 2000;  // of each recording

void write_time(PageJson& json, const SampleSums& sums, std::uint64_t SampleSums::*time) {
  if (sums.is_timed())
    json.number(sums.*time);
  else
    json.null();
}

void write_facts(PageJson& json, const Recording& file) {
  const perf_format::Features& features = perf_data::features_of(file);
  const CpuInfo& cpu = file.machine().cpu();
  json.key("facts").begin_object();
  json.key("file").text(file.facts().path);
  json.key("host").text(features.hostname);
  json.key("command").text(joined(features.command_line, " "));
  json.key("CPU").text(features.cpu_desc.empty() ? cpu.cpuid : features.cpu_desc);
  json.key("model").text(cpu.model.empty() ? "unknown" : cpu.model);
  json.key("model note").text(cpu.note);
  json.key("kernel").text(features.os_release);
  json.key("perf").text(features.version);
  json.end_object();
}

void write_event(PageJson& json, const Report::Event& event, bool in_ns) {
  json.begin_object();
  json.key("name").text(event.name);
  json.key("recorded").text(event.event.recorded_name);
  json.key("pmu").text(event.event.pmu);
  json.key("code").text(fmt::format("{:#x}", event.event.code.config[0]));
  json.key("named_by").text(kNamedBy[event.event.named_by].value);
  json.key("samples").number(event.samples);
  json.key("period").number(event.period);
  if (in_ns) json.key("ns").number(1);
  json.key("first"), write_time(json, event, &SampleSums::first);
  json.key("last"), write_time(json, event, &SampleSums::last);
  json.key("lost").number(event.lost);
  json.key("throttled").number(event.throttled);
  json.end_object();
}

/// A row of the table: keys, samples, share, period, first, last.
void write_row(PageJson& json, const std::vector<std::string>& keys, const SampleSums& sums,
               double share) {
  json.begin_array();
  json.texts(keys);
  json.number(sums.samples);
  json.real(share);
  json.number(sums.period);
  write_time(json, sums, &SampleSums::first);
  write_time(json, sums, &SampleSums::last);
  json.end_array();
}

void write_rows(PageJson& json, const PageContents& contents, const Report& report) {
  const std::vector<Report::Row> rows = report.rows();
  const auto view = view_of(table_of(rows, contents.keys), contents.order, kMostRows);
  SampleSums rest;
  double share = 0;
  std::size_t written = 0;
  json.key("rows").begin_array();
  for (const std::size_t i : view ? view->order : std::vector<std::size_t>()) {
    if (written++ < kMostRows) {
      write_row(json, rows[i].keys, rows[i], rows[i].share);
      continue;
    }
    rest += rows[i];
    share += rows[i].share;
  }
  if (written > kMostRows) {
    std::vector<std::string> keys(contents.keys.keys.size());
    keys[0] = fmt::format("({} more)", written - kMostRows);
    write_row(json, keys, rest, share);
  }
  json.end_array();
}

/// Writes the changes from the first recording to the second.
void write_changes(PageJson& json, const PageContents& contents) {
  const std::vector<ReportChange>& changes = *contents.changes;
  const auto view = view_of(table_of(changes, contents.keys), contents.order, kMostRows);
  const std::vector<std::size_t> order = view ? view->order : std::vector<std::size_t>();
  json.key("changes").each(
      std::span(order).first(std::min(order.size(), kMostRows)), [&](std::size_t i) {
        const ReportChange& change = changes[i];
        json.begin_array();
        json.texts(change.keys);
        for (const std::uint64_t number : {change.before.samples, change.after.samples})
          json.number(number);
        json.real(change.share_before);
        json.real(change.share_after);
        for (const std::uint64_t number : {change.before.period, change.after.period})
          json.number(number);
        json.end_array();
      });
  json.key("more_changes").number(order.size() - std::min(order.size(), kMostRows));
}

/// The limits of a page for each recording.
struct PageSize {
  report::GridLimits grid;
  std::size_t hidden_names;  ///< functions in cut stacks only
  std::size_t instructions;  ///< bytes of their functions
};

/// The data of a page, as JSON.
Page page_data(const PageContents& contents, std::span<const PageInstructions> instructions,
               const PageSize& size) {
  Page page;
  PageJson json(page.text);
  PageTexts texts;
  std::vector<report::SampleGrid> grids;
  std::vector<PageBranches> branches;
  for (report::DetailedReport& report : contents.reports) {
    report.finish_grid(size.grid);
    prepare_grid(grids.emplace_back(report.grid(size.grid)), size.hidden_names, texts);
    branches.push_back(prepare_branches(report.branches(), texts));
    add_texts(instructions[branches.size() - 1], texts);
  }
  texts.put_in_order();
  json.begin_object();
  const std::vector<std::string> keys = contents.keys.names();
  json.key("keys").texts(keys);
  texts.write(json);
  if (contents.keys.waits) json.key("waits").number(1);
  LineCounts lines;
  json.key("files").begin_array();
  for (std::size_t i = 0; i < contents.files.size(); ++i) {
    const report::DetailedReport& report = contents.reports[i];
    json.begin_object();
    write_facts(json, contents.files[i]);
    json.key("events").each(report.events(), [&](const Report::Event& event) {
      write_event(json, event, contents.keys.is_in_ns(event));
    });
    write_grid(json, grids[i], report.events().size(), texts);
    if (!grids[i].accesses.empty()) write_memory(json, grids[i], report.sharing());
    write_branches(json, branches[i], texts, lines);
    write_instructions(json, instructions[i], grids[i], report.events().size(), size.instructions,
                       texts, lines);
    write_metrics(json, report, contents.files[i]);
    if (!contents.changes &&
        (contents.keys.keys != std::vector{SortKey::event} || !contents.order.empty()))
      write_rows(json, contents, report);
    json.end_object();
  }
  json.end_array();
  page.sources = write_sources(json, grids, lines);
  if (contents.changes) write_changes(json, contents);
  json.key("warnings").texts(contents.warnings);
  json.end_object();
  return page;
}

}  // namespace

Page report_page(const PageContents& contents) {
  constexpr std::string_view kPlace = "__EVNAME_DATA__";
  // Samples, stacks and names of functions are most of a page, so they are reduced until it is
  // small enough.
  constexpr std::size_t kMostBytes = 8'500'000;
  const auto files = static_cast<std::uint32_t>(std::max<std::size_t>(contents.files.size(), 1));
  PageSize size = {{.nodes = (1 << 19) / files,
                    .cells = (1 << 20) / files,
                    .accesses = 60'000 / files,
                    .functions = (1 << 19) / files},
                   50'000 / files,
                   std::size_t{2'000'000} / files};
  std::vector<PageInstructions> instructions;
  for (std::size_t i = 0; i < contents.reports.size(); ++i)
    instructions.push_back(page_instructions(contents.reports[i], contents.files.subspan(i, 1)));
  Page data;
  for (int tries = 0; tries < 12; ++tries) {
    data = page_data(contents, instructions, size);
    const std::size_t bytes = data.text.size();
    if (bytes <= kMostBytes) break;
    const double part = std::clamp(0.9 * kMostBytes / static_cast<double>(bytes), 0.4, 0.75);
    const auto less = [&](auto& number) {
      number = static_cast<std::remove_reference_t<decltype(number)>>(number * part);
    };
    less(size.grid.nodes);
    less(size.grid.cells);
    less(size.grid.accesses);
    less(size.grid.functions);
    less(size.hidden_names);
    less(size.instructions);
  }
  const auto place = kReportPage.find(kPlace);
  std::string page;
  page.reserve(kReportPage.size() + data.text.size() * 17 / 16);  // with escapes
  page += kReportPage.substr(0, place);
  append_to_script(page, data.text);
  page += kReportPage.substr(place + kPlace.size());
  return {std::move(page), std::move(data.sources)};
}

}  // namespace evname::tools
