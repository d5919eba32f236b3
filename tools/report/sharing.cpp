#include "report/sharing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/enum_table.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"
#include "output/standard.hpp"
#include "report/table.hpp"

namespace evname::tools {
namespace {

struct Chosen {
  report::Contention by;
  std::string_view word;   ///< of --display
  std::string_view count;  ///< in a heading
};
constexpr auto kChosen = enum_table<&Chosen::by>({
    {report::Contention::hitm, "tot", "loads of what another cache had modified"},
    {report::Contention::local_hitm, "lcl", "loads of what another cache of the node had modified"},
    {report::Contention::remote_hitm, "rmt", "loads of what a cache of another node had modified"},
    {report::Contention::peer, "peer", "loads that other caches answered"},
    {report::Contention::threads, "threads",
     "accesses of lines that a thread stores to and others access"},
});

/// Counts of lines and accesses in text output; data formats have all.
constexpr std::string_view kShownCounts[] = {"local_hitm",    "remote_hitm",    "local_peer",
                                             "remote_peer",   "stores",         "store_l1_hit",
                                             "store_l1_miss", "store_no_level", "locked"};
/// Counts of lines only in text output.
constexpr std::string_view kShownOfLines[] = {"load_fill_buffer", "load_l1",    "load_l2",
                                              "load_llc",         "remote_hit", "local_dram",
                                              "remote_dram"};

bool is_in(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Adds columns of counts, which `counts_of` gives for a row, and which text leaves out if they are
/// 0.
template <class CountsOf>
void add_counts(Table& table, bool of_lines, CountsOf counts_of) {
  const auto add = [&](std::string name, auto value_of) {
    table.columns.push_back({std::move(name), CellKind::count, [=](Rows rows) {
                               std::uint64_t sum = 0;
                               for (const std::size_t row : rows) sum += value_of(counts_of(row));
                               return Cell::of(sum);
                             }});
    table.columns.back().rare = true;
  };
  add("hitm", [](const report::AccessCounts& counts) { return counts.hitm(); });
  add("peer", [](const report::AccessCounts& counts) { return counts.peer(); });
  for (const report::AccessCount& one : report::access_counts()) {
    add(std::string(one.name),
        [=](const report::AccessCounts& counts) { return counts.*one.member; });
    table.columns.back().only_data =
        !is_in(kShownCounts, one.name) && !(of_lines && is_in(kShownOfLines, one.name));
  }
  add("answered_loads", [](const report::AccessCounts& counts) { return counts.answered_loads(); });
  table.columns.back().only_data = !of_lines;
  add("accesses", [](const report::AccessCounts& counts) { return counts.accesses(); });
}

template <class TextOf>
void add_text(Table& table, const char* name, TextOf text_of) {
  table.columns.push_back({name, CellKind::text,
                           [=](Rows rows) {
                             const std::string text = text_of(rows[0]);
                             return text == "-" ? Cell() : Cell::of(text);
                           },
                           false, true});
}

/// Names the table of a row.
void add_table_name(Table& table, const char* name) {
  add_text(table, "table", [=](std::size_t) { return std::string(name); });
  table.columns.back().only_data = true;
}

Table totals_table(const report::Sharing& sharing) {
  Table table;
  table.has_totals = false;
  const auto counts = report::access_counts();
  table.blocks.assign(counts.size(), 0);
  for (const auto& [name, of] :
       {std::pair("all", &sharing.all), std::pair("on_shared_lines", &sharing.shared)})
    table.columns.push_back({name, CellKind::count, [of = of, counts](Rows rows) {
                               return Cell::of(of->*counts[rows[0]].member);
                             }});
  add_table_name(table, "totals");
  add_text(table, "count", [=](std::size_t row) { return std::string(counts[row].name); });
  add_text(table, "what", [=](std::size_t row) { return std::string(counts[row].what); });
  return table;
}

Table lines_table(const report::Sharing& sharing) {
  Table table;
  table.has_totals = false;
  const auto& lines = sharing.lines;
  table.blocks.assign(lines.size(), 0);
  const std::uint64_t all = report::contention_of(sharing.all, sharing.by);
  const auto counts_of = [&lines](std::size_t row) -> const report::AccessCounts& {
    return lines[row].counts;
  };
  table.columns.push_back({"share", CellKind::share, [=, by = sharing.by](Rows rows) {
                             std::uint64_t sum = 0;
                             for (const std::size_t row : rows)
                               sum += report::contention_of(counts_of(row), by);
                             return Cell::of(ratio(sum, all));
                           }});
  add_counts(table, true, counts_of);
  table.columns.push_back({"threads", CellKind::count, [&lines](Rows rows) {
                             return rows.size() == 1 ? Cell::of(lines[rows[0]].threads) : Cell();
                           }});
  add_table_name(table, "line");
  add_text(table, "index", [](std::size_t row) { return fmt::format("{}", row); });
  table.columns.back().kind = CellKind::id;
  add_text(table, "address",
           [&lines](std::size_t row) { return fmt::format("{:#x}", lines[row].address); });
  add_text(table, "place", [&lines](std::size_t row) { return lines[row].place; });
  return table;
}

/// An access of a line by its index.
struct AccessRow {
  std::size_t line = 0;
  report::LineAccess access;
};

bool has_word(std::string_view list, std::string_view word) {
  const auto words = split(list, ',');
  return std::ranges::find(words, word) != words.end();
}

void merge(std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& from) {
  std::vector<std::uint32_t> all;
  std::ranges::set_union(into, from, std::back_inserter(all));
  into = std::move(all);
}

constexpr report::MeanWeight report::LineAccess::*kMeans[] = {
    &report::LineAccess::remote_hitm, &report::LineAccess::local_hitm,
    &report::LineAccess::remote_peer, &report::LineAccess::local_peer, &report::LineAccess::load};
constexpr const char* kMeanNames[] = {"remote_hitm_mean", "local_hitm_mean", "remote_peer_mean",
                                      "local_peer_mean", "load_mean"};

/// Returns the accesses of a line, merged by the requested keys: by offset, then by falling
/// contention.
std::vector<report::LineAccess> coalesced(const report::SharedLine& line, std::string_view by,
                                          report::Contention order) {
  const bool pid = has_word(by, "pid"), tid = has_word(by, "tid"), ip = has_word(by, "iaddr"),
             dso = has_word(by, "dso");
  std::map<std::tuple<std::uint32_t, std::int32_t, std::int32_t, std::uint64_t, std::string>,
           report::LineAccess>
      rows;
  for (const report::LineAccess& access : line.accesses) {
    const auto [at, is_new] =
        rows.try_emplace({access.offset, pid ? access.pid : 0, tid ? access.tid : 0,
                          ip ? access.ip : 0, dso ? access.dso : ""},
                         access);
    if (is_new) continue;
    report::LineAccess& row = at->second;
    row.counts.add(access.counts);
    for (const auto mean : kMeans) {
      (row.*mean).samples += (access.*mean).samples;
      (row.*mean).sum += (access.*mean).sum;
    }
    merge(row.cpus, access.cpus);
    merge(row.nodes, access.nodes);
  }
  std::vector<report::LineAccess> out;
  for (auto& [key, row] : rows) out.push_back(std::move(row));
  sort_stably(out, [&](const report::LineAccess& a, const report::LineAccess& b) {
    if (a.offset != b.offset) return a.offset < b.offset;
    const std::uint64_t of_a = report::contention_of(a.counts, order),
                        of_b = report::contention_of(b.counts, order);
    return of_a != of_b ? of_a > of_b : a.ip < b.ip;
  });
  return out;
}

std::string list_of(const std::vector<std::uint32_t>& numbers) {
  return numbers.empty() ? "-" : fmt::format("{}", fmt::join(numbers, " "));
}

void add_means(Table& table, const std::vector<AccessRow>& rows) {
  for (std::size_t i = 0; i < std::size(kMeans); ++i) {
    const auto mean_of = [&rows, mean = kMeans[i]](Rows of) {
      report::MeanWeight sums;
      for (const std::size_t row : of) {
        sums.samples += (rows[row].access.*mean).samples;
        sums.sum += (rows[row].access.*mean).sum;
      }
      return sums.samples > 0 ? Cell::of(sums.mean()) : Cell();
    };
    table.columns.push_back({kMeanNames[i], CellKind::real, mean_of, true});
  }
}

Table accesses_table(const std::vector<AccessRow>& rows, const report::Sharing& sharing,
                     std::string_view by) {
  Table table;
  const bool ip = has_word(by, "iaddr");
  for (const AccessRow& row : rows) table.blocks.push_back(row.line);
  const auto add = [&](bool shown, const char* name, auto text_of) {
    if (shown)
      add_text(table, name, [=, &rows](std::size_t row) { return text_of(rows[row].access); });
  };
  add_counts(table, false, [&rows](std::size_t row) -> const report::AccessCounts& {
    return rows[row].access.counts;
  });
  add_means(table, rows);
  add_table_name(table, "access");
  add_text(table, "line", [&](std::size_t row) {
    return fmt::format("{:#x}", sharing.lines[rows[row].line].address);
  });
  table.columns.back().only_data = true;
  table.block_column = table.columns.size();
  add_text(table, "place", [&](std::size_t row) { return sharing.lines[rows[row].line].place; });
  add(true, "offset", [](const report::LineAccess& a) { return fmt::format("{:#x}", a.offset); });
  add(true, "cpus", [](const report::LineAccess& a) { return list_of(a.cpus); });
  add(true, "nodes", [](const report::LineAccess& a) { return list_of(a.nodes); });
  for (const auto& [name, member] :
       {std::pair("pid", &report::LineAccess::pid), std::pair("tid", &report::LineAccess::tid)}) {
    if (!has_word(by, name)) continue;
    add(true, name,
        [member = member](const report::LineAccess& a) { return fmt::format("{}", a.*member); });
    table.columns.back().kind = CellKind::id;
  }
  add(has_word(by, "tid"), "comm", [](const report::LineAccess& a) { return a.comm; });
  add(ip, "ip", [](const report::LineAccess& a) { return fmt::format("{:#x}", a.ip); });
  add(ip, "sym", [](const report::LineAccess& a) { return a.sym; });
  add(ip || has_word(by, "dso"), "dso", [](const report::LineAccess& a) { return a.dso; });
  add(ip, "srcline", [](const report::LineAccess& a) { return a.source; });
  return table;
}

void print_table(const Table& table, std::size_t top, const SharingView& view) {
  auto shown = view_of(table, "", top);
  if (!shown) return;
  if (view.format == SharingView::Format::json)
    print_json(table, *shown);
  else if (view.format == SharingView::Format::csv)
    print_csv(table, *shown, view.guard_formulas);
  else
    print_text(table, *shown);
}

void tell_choice(const report::Sharing& sharing, const SharingView& view) {
  if (!view.by && sharing.by == report::Contention::threads && sharing.all.records > 0)
    tell_note(
        "no load was answered by another cache{}: lines are those that a thread stores to and "
        "others "
        "access",
        view.is_arm64 ? ", which older SPE does not report" : "");
  if (sharing.left_out > 0)
    tell_note("{} with less than 0.1 % of that {} left out",
              counted(sharing.left_out, "line", "lines"), sharing.left_out == 1 ? "is" : "are");
  const report::AccessCounts& all = sharing.all;
  if (const std::uint64_t none = all.load_no_address + all.store_no_address; none > 0)
    tell_note("{} of {} have no address", none, counted(all.records, "sample", "samples"));
  if (all.unparsed > 0)
    tell_note("{} of {} are neither loads nor stores", all.unparsed,
              counted(all.records, "sample", "samples"));
}

}  // namespace

std::vector<std::pair<std::string, int>> contention_words() {
  std::vector<std::pair<std::string, int>> words;
  for (const Chosen& one : kChosen) words.emplace_back(one.word, static_cast<int>(one.by));
  return words;
}

std::string coalesce_problem(const std::string& text) {
  constexpr std::string_view kWords[] = {"pid", "tid", "iaddr", "dso"};
  for (const std::string_view word : split(text, ','))
    if (!is_in(kWords, word)) return fmt::format("'{}' is none of pid, tid, iaddr and dso", word);
  return "";
}

void print_sharing(const report::DetailedReport& report, const SharingView& view) {
  constexpr std::size_t kLines = 20, kAccesses = 10;
  const bool is_text = view.format == SharingView::Format::text;
  const report::Sharing sharing = report.sharing(view.by);
  tell_choice(sharing, view);
  const auto top = [&](std::size_t usual) { return view.top.value_or(is_text ? usual : SIZE_MAX); };
  std::vector<AccessRow> accesses;
  for (std::size_t line = 0; line < std::min(sharing.lines.size(), top(kLines)); ++line)
    for (report::LineAccess& access : coalesced(sharing.lines[line], view.coalesce, sharing.by)) {
      // As in perf: the stores, and the loads that wait for them.
      const bool counts =
          access.counts.stores + report::contention_of(access.counts, sharing.by) > 0 || !is_text;
      if (counts) accesses.push_back({line, std::move(access)});
    }
  const Table of_accesses = accesses_table(accesses, sharing, view.coalesce);
  if (view.format != SharingView::Format::csv) {
    print_table(totals_table(sharing), SIZE_MAX, view);
    if (is_text)
      print_out("\n{} by {}; {} shared\n", counted(sharing.lines.size(), "line", "lines"),
                kChosen[sharing.by].count, counted(sharing.shared_lines, "line is", "lines are"));
    print_table(lines_table(sharing), top(kLines), view);
    if (is_text) to_stdout("\n");
  }
  print_table(of_accesses, top(kAccesses), view);
}

}  // namespace evname::tools
