// The memory accesses of a recording in the data of a page.

#include <algorithm>
#include <string>

#include "base/enum_table.hpp"
#include "base/sorting.hpp"
#include "report/page/grid.hpp"

namespace evname::tools {
namespace {

constexpr std::size_t kLinesOfPage = 100, kAccessesOfLine = 50;

/// Writes the numbers that lines and accesses have on the page.
void write_counts(PageJson& json, const report::AccessCounts& counts) {
  for (const std::uint64_t number : {counts.loads, counts.stores, counts.local_hitm,
                                     counts.remote_hitm, counts.local_peer, counts.remote_peer})
    json.number(number);
}

/// "comm 12 0x8 function": the accesses of a thread to a place of a line, and their outcomes.
void write_access(PageJson& json, const report::LineAccess& access) {
  json.begin_array();
  json.number(access.offset);
  json.text(access.comm);
  json.integer(access.tid);
  json.text(access.sym);
  json.text(access.source == "-" ? access.dso : access.source);
  write_counts(json, access.counts);
  json.end_array();
}

void write_line(PageJson& json, const report::SharedLine& line, report::Contention by) {
  json.begin_object();
  json.key("place").text(line.place);
  json.key("threads").number(line.threads);
  json.key("counts").begin_array();
  write_counts(json, line.counts);
  json.end_array();
  std::vector<const report::LineAccess*> accesses;
  for (const report::LineAccess& access : line.accesses) accesses.push_back(&access);
  const auto weight = [&](const report::LineAccess* access) {
    return access->counts.stores + report::contention_of(access->counts, by);
  };
  sort_stably(accesses, [&](const report::LineAccess* a, const report::LineAccess* b) {
    return weight(a) > weight(b);
  });
  json.key("more").number(accesses.size() - std::min(accesses.size(), kAccessesOfLine));
  if (accesses.size() > kAccessesOfLine) accesses.resize(kAccessesOfLine);
  json.key("accesses").each(accesses, [&](const report::LineAccess* access) {
    write_access(json, *access);
  });
  json.end_object();
}

/// Writes the difference from the previous cell: most differ only in their last members.
void add_cells(PackedNumbers& out, const report::SampleGrid& grid) {
  std::uint32_t event = 0, bin = 0;
  for (const report::SampleGrid::Access& one : grid.accesses) {
    out.add(one.event - event);
    if (one.event != event) bin = 0;
    out.add(one.bin - bin);
    event = one.event;
    bin = one.bin;
    out.add(one.line == report::SampleGrid::kNone ? 0 : std::uint64_t{one.line} + 1);
    out.add(one.source);
    out.add(one.latency);
    out.add(one.samples);
    out.add(one.weight);
  }
}

}  // namespace

void write_memory(PageJson& json, const report::SampleGrid& grid, const report::Sharing& sharing) {
  using enum report::Contention;
  constexpr auto kBy = enum_values<report::Contention>({{hitm, "hitm"},
                                                        {local_hitm, "local_hitm"},
                                                        {remote_hitm, "remote_hitm"},
                                                        {peer, "peer"},
                                                        {threads, "threads"}});
  json.key("memory").begin_object();
  json.key("width").number(grid.access_width);
  json.key("by").text(kBy[sharing.by].value);
  json.key("sources").each(grid.sources, [&](const report::SampleGrid::Source& source) {
    json.begin_array();
    for (const std::string* text :
         {&source.op, &source.mem, &source.snoop, &source.tlb, &source.locked, &source.blocked})
      json.text(*text);
    write_counts(json, source.counts);
    json.end_array();
  });
  const std::size_t lines = std::min(sharing.lines.size(), kLinesOfPage);
  json.key("lines").each(
      std::span(sharing.lines).first(lines),
      [&](const report::SharedLine& line) { write_line(json, line, sharing.by); });
  json.key("more_lines").number(sharing.lines.size() - lines + sharing.left_out);
  write_packed(json, "cells", [&](PackedNumbers& out) { add_cells(out, grid); });
  json.end_object();
}

}  // namespace evname::tools
