#include "report/perf/lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"

namespace evname::tools {
namespace {

std::size_t index_of(const std::vector<SortKey>& keys, SortKey key) {
  return static_cast<std::size_t>(std::ranges::find(keys, key) - keys.begin());
}

/// "anon group { cycles, instructions }"
std::string group_name(const Report& report, const perf_format::GroupDesc& group,
                       const std::vector<std::size_t>& events) {
  std::vector<std::string> names;
  for (const std::size_t event : events) names.push_back(report.events()[event].name);
  return fmt::format("{} {{ {} }}",
                     group.name.empty() || group.name.starts_with('{') ? "anon group" : group.name,
                     joined(names, ", "));
}

PerfKeyValues values_of(const Report::Row& row, const std::vector<SortKey>& asked,
                        const std::vector<PerfKey>& shown) {
  PerfKeyValues values;
  for (const PerfKey& key : shown) {
    auto& parts = values.emplace_back();
    for (const SortKey part : key.keys) parts.push_back(row.keys[index_of(asked, part)]);
  }
  return values;
}

/// A thread that changes its name stays the same thread.
PerfKeyValues identity_of(PerfKeyValues values, const std::vector<PerfKey>& shown) {
  for (std::size_t i = 0; i < shown.size(); ++i)
    if (shown[i].style == PerfKey::Style::thread) values[i].pop_back();
  return values;
}

/// Gives the rows of a thread its last name.
void name_threads(const std::vector<Report::Row>& rows, const std::vector<SortKey>& asked,
                  const std::vector<PerfKey>& shown, std::vector<std::vector<PerfLine>>& lines) {
  const auto thread = std::ranges::find(shown, PerfKey::Style::thread, &PerfKey::style);
  if (thread == shown.end()) return;
  const std::size_t tid = index_of(asked, thread->keys[0]), name = index_of(asked, thread->keys[1]);
  std::map<std::string, const Report::Row*> last;
  for (const Report::Row& row : rows) {
    const Report::Row*& known = last[row.keys[tid]];
    if (known == nullptr || (row.is_timed() && row.last > known->last)) known = &row;
  }
  const auto place = static_cast<std::size_t>(thread - shown.begin());
  for (std::vector<PerfLine>& block : lines)
    for (PerfLine& line : block) line.values[place][1] = last.at(line.values[place][0])->keys[name];
}

}  // namespace

std::vector<PerfKey> keys_of(const PerfTable& table) {
  std::vector<PerfKey> keys;
  for (const PerfColumn& column : table.columns.shown)
    if (column.is_key) keys.push_back(column.key);
  return keys;
}

std::vector<PerfBlock> blocks_of(const Report& report, const PerfTable& table) {
  const auto& events = report.events();
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < events.size(); ++i)
    if (events[i].samples > 0) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return events[i].event.attr; });
  std::map<std::size_t, std::size_t> by_leader;
  std::vector<PerfBlock> blocks;
  for (const std::size_t event : order) {
    const std::size_t attr = events[event].event.attr;
    const auto group = std::ranges::find_if(table.groups, [&](const auto& one) {
      return attr >= one.leader && attr - one.leader < one.members;
    });
    std::size_t at = blocks.size();
    if (group != table.groups.end()) at = by_leader.try_emplace(group->leader, at).first->second;
    if (at == blocks.size()) blocks.push_back({{}, events[event].name, {}});
    PerfBlock& block = blocks[at];
    block.events.push_back(event);
    if (block.events.size() > 1) block.name = group_name(report, *group, block.events);
  }
  return blocks;
}

std::vector<std::vector<PerfLine>> lines_of(const Report& report, const PerfTable& table,
                                            std::vector<PerfBlock>& blocks) {
  const std::vector<SortKey> asked = table.keys();
  const std::vector<PerfKey> shown = keys_of(table);
  const std::size_t file = index_of(asked, SortKey::dso), sym = index_of(asked, SortKey::sym);
  std::vector<std::map<PerfKeyValues, std::size_t>> known(blocks.size());
  std::vector<std::vector<PerfLine>> lines(blocks.size());
  std::map<std::size_t, std::pair<std::size_t, std::size_t>> places;  // of events
  for (std::size_t at = 0; at < blocks.size(); ++at) {
    blocks[at].all.resize(blocks[at].events.size());
    for (std::size_t i = 0; i < blocks[at].events.size(); ++i)
      places[blocks[at].events[i]] = {at, i};
  }
  const std::vector<Report::Row> rows = report.rows();
  for (const Report::Row& row : rows) {
    const auto found = places.find(row.event);
    if (found == places.end()) continue;
    const auto [at, place] = found->second;
    const bool of_kernel =
        file < asked.size() && sym < asked.size() && is_of_kernel(row.keys[file], row.keys[sym]);
    blocks[at].all[place].add(row, table.with_callers, of_kernel);
    if (table.chooses_rows() && !table.shows(row.keys[sym], row.keys[file])) continue;
    const PerfKeyValues values = values_of(row, asked, shown);
    const auto [known_line, is_new] =
        known[at].try_emplace(identity_of(values, shown), lines[at].size());
    if (is_new) lines[at].push_back({values, std::vector<PerfSums>(blocks[at].all.size())});
    PerfLine& line = lines[at][known_line->second];
    line.sums[place].add(row, table.with_callers, of_kernel);
    if (place == 0 && table.chain_style.mode != ChainStyle::Mode::none)
      line.rows.push_back(row.keys);
  }
  name_threads(rows, asked, shown, lines);
  return lines;
}

}  // namespace evname::tools
