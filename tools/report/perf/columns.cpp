#include "report/perf/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.hpp"

namespace evname::tools {
namespace {

using enum SortKey;
using Style = PerfKey::Style;

struct KeyRow {
  std::string_view word, header;
  std::size_t width;
  Style style;
  SortKey keys[2];
  std::size_t count = 1;
};

/// Words, headers and least widths: tools/perf/util/sort.c and hist.c of Linux 7.3.
constexpr KeyRow kKeys[] = {
    {"comm", "Command", 0, Style::padded, {comm}},
    {"dso", "Shared Object", 0, Style::file, {dso}},
    {"symbol", "Symbol", 0, Style::symbol, {sym, dso}, 2},
    {"pid", "    Pid:Command", 0, Style::thread, {tid, comm}, 2},
    {"cpu", "CPU", 3, Style::cpu, {cpu}},
    {"srcline", "Source:Line", 0, Style::text, {srcline}},
    {"srcfile", "Source File", 0, Style::text, {srcfile}},
    {"cgroup", "Cgroup", 6, Style::padded, {cgroup}},
    {"dso_from", "Source Shared Object", 0, Style::file, {dso_from}},
    {"dso_to", "Target Shared Object", 0, Style::file, {dso_to}},
    {"symbol_from", "Source Symbol", 0, Style::symbol, {sym_from, dso_from}, 2},
    {"symbol_to", "Target Symbol", 0, Style::symbol, {sym_to, dso_to}, 2},
    {"srcline_from", "From Source:Line", 0, Style::text, {srcline_from}},
    {"srcline_to", "To Source:Line", 0, Style::text, {srcline_to}},
    {"addr_from", "Source Address", 0, Style::padded, {addr_from}},
    {"addr_to", "Target Address", 0, Style::padded, {addr_to}},
    {"mispredict", "Branch Mispredicted", 0, Style::padded, {mispredict}},
    {"abort", "Transaction abort", 0, Style::padded, {SortKey::abort}},
    {"in_tx", "Branch in transaction", 0, Style::padded, {in_tx}},
    {"cycles", "Basic Block Cycles", 6, Style::padded, {cycles}},
    {"local_weight", "Local Weight", 12, Style::padded, {local_weight}},
    {"local_ins_lat", "Local INSTR Latency", 13, Style::padded, {local_ins_lat}},
    {"local_retire_lat", "Local Retire Latency", 13, Style::padded, {local_retire_lat}},
    {"local_p_stage_cyc", "Local Pipeline Stage Cycle", 13, Style::padded, {local_retire_lat}},
    {"symbol_daddr", "Data Symbol", 0, Style::text, {symbol_daddr}},
    {"dso_daddr", "Data Object", 0, Style::file, {dso_daddr}},
    {"locked", "Locked", 6, Style::padded, {locked}},
    {"tlb", "TLB access", 22, Style::padded, {tlb}},
    {"mem", "Memory access", 39, Style::padded, {mem}},
    {"snoop", "Snoop", 12, Style::padded, {snoop}},
    {"dcacheline", "Data Cacheline", 0, Style::text, {dcacheline}},
    {"blocked", "Blocked", 10, Style::padded, {blocked}},
    {"phys_daddr", "Data Physical Address", 22, Style::padded, {phys_daddr}},
};

using WordPair = std::pair<std::string_view, std::string_view>;
/// perf's words for keys, and evname's; "": a column that every table has.
constexpr WordPair kOwnWords[] = {{"symbol", "sym"},
                                  {"symbol_from", "sym_from"},
                                  {"symbol_to", "sym_to"},
                                  {"overhead", ""},
                                  {"overhead_children", ""},
                                  {"sample", ""},
                                  {"period", ""},
                                  {"ins_lat", "local_ins_lat"},
                                  {"local_p_stage_cyc", "local_retire_lat"},
                                  {"p_stage_cyc", "local_retire_lat"},
                                  {"retire_lat", "local_retire_lat"},
                                  {"weight", "local_weight"}};
/// Other words for the keys of this table.
constexpr WordPair kOtherWords[] = {{"function", "symbol"},
                                    {"thread", "comm"},
                                    {"library", "dso"},
                                    {"file:line", "srcline"},
                                    {"tid", "pid"}};

/// Returns the row of a key by any of its words; nullptr if it has none.
const KeyRow* row_of_key(std::string_view word) {
  const auto find = [](std::string_view one) -> const KeyRow* {
    const auto* row = std::ranges::find(kKeys, one, &KeyRow::word);
    return row == std::end(kKeys) ? nullptr : row;
  };
  if (const KeyRow* row = find(word)) return row;
  for (const auto& [other, perf] : kOtherWords)
    if (other == word) return find(perf);
  for (const auto& [perf, own] : kOwnWords)
    if (perf == word || own == word) return find(perf == word ? own : perf);
  return nullptr;
}

struct NumberRow {
  std::string_view word, header;
};
/// Parallel to PerfNumber.
constexpr NumberRow kNumbers[] = {{"overhead", "Overhead"}, {"overhead_children", "Children"},
                                  {"overhead_sys", "sys"},  {"overhead_us", "usr"},
                                  {"sample", "Samples"},    {"period", "Period"}};

Result<PerfKey> key_of(std::string_view word, std::vector<std::string>& fields) {
  if (const KeyRow* row = row_of_key(word))
    return PerfKey{std::string(row->word),
                   std::string(row->header),
                   row->width,
                   row->style,
                   {row->keys, row->keys + row->count}};
  auto keys = parse_sort_keys(word, fields);
  if (!keys) return tl::unexpected(keys.error());
  return PerfKey{std::string(word), std::string(word), 0, Style::padded, std::move(*keys)};
}

/// A word of --sort or --fields becomes a column, once.
Result<void> add_column(std::string_view word, std::vector<std::string>& fields,
                        std::vector<PerfColumn>& out) {
  PerfColumn column;
  if (const auto* row = std::ranges::find(kNumbers, word, &NumberRow::word);
      row != std::end(kNumbers)) {
    column.number = static_cast<PerfNumber>(row - kNumbers);
  } else {
    auto key = key_of(word, fields);
    if (!key) return tl::unexpected(key.error());
    column.is_key = true;
    column.key = std::move(*key);
  }
  const bool is_there = std::ranges::any_of(out, [&](const PerfColumn& one) {
    return one.is_key == column.is_key &&
           (column.is_key ? one.key.word == column.key.word : one.number == column.number);
  });
  if (!is_there) out.push_back(std::move(column));
  return {};
}

/// A list with + before it adds to the usual one.
std::string list_of(std::string_view given, std::string_view usual) {
  if (given.empty()) return std::string(usual);
  return given.front() == '+' ? fmt::format("{},{}", usual, given.substr(1)) : std::string(given);
}

/// The columns of numbers without --fields: those that order rows, then those that don't.
std::string numbers_of(const PerfColumnChoice& choice) {
  std::string out = choice.children ? "overhead_children,overhead" : "overhead";
  if (choice.cpu_shares) out += ",overhead_sys,overhead_us";
  if (choice.samples) out += ",sample";
  if (choice.period) out += ",period";
  return out;
}

Result<std::vector<PerfColumn>> columns_of(std::string_view words,
                                           std::vector<std::string>& fields) {
  std::vector<PerfColumn> out;
  for (const std::string_view word : split(words, ','))
    if (const auto added = add_column(word, fields, out); !added)
      return tl::unexpected(added.error());
  return out;
}

bool is_address(std::string_view text) { return text.starts_with("0x"); }

/// "file+0x12" is no symbol: perf prints the address in the file.
std::string address_or_name(std::string_view sym, std::string_view dso) {
  const std::string start = std::string(last_part(dso)) + "+0x";
  std::string_view digits;
  if (sym.starts_with(start)) digits = sym.substr(start.size());
  if (is_address(sym)) digits = sym.substr(2);
  if (digits.empty() || digits.find_first_not_of("0123456789abcdef") != digits.npos)
    return std::string(sym);
  return fmt::format("0x{:0>16}", digits);
}

}  // namespace

std::string_view own_word(std::string_view word) {
  const auto* known = std::ranges::find(kOwnWords, word, &WordPair::first);
  return known == std::end(kOwnWords) ? word : known->second;
}

std::string_view header_of(PerfNumber number) {
  return kNumbers[static_cast<std::size_t>(number)].header;
}

Result<PerfColumns> perf_columns(const PerfColumnChoice& choice, std::vector<std::string>& fields) {
  const std::string sort =
      list_of(choice.sort,
              choice.branches ? "comm,dso_from,symbol_from,symbol_to,cycles" : "comm,dso,symbol");
  const std::string_view added = choice.fields;
  std::string shown = numbers_of(choice) + "," + sort;
  std::string order = (choice.children ? "overhead_children,overhead," : "overhead,") + sort;
  if (added.starts_with('+')) {
    shown = fmt::format("{},{},{}", numbers_of(choice), added.substr(1), sort);
  } else if (!added.empty()) {
    shown = choice.sort.empty() ? choice.fields : choice.fields + "," + sort;
    order = choice.sort.empty() ? choice.fields : sort + "," + choice.fields;
  }
  PerfColumns out;
  for (auto [words, columns] : {std::pair(&shown, &out.shown), std::pair(&order, &out.order)}) {
    auto made = columns_of(*words, fields);
    if (!made) return tl::unexpected(made.error());
    *columns = std::move(*made);
  }
  std::vector<std::string_view> keys;
  for (PerfColumn& column : out.shown) {
    column.place = keys.size();
    if (column.is_key) keys.push_back(column.key.word);
  }
  for (PerfColumn& column : out.order)
    column.place =
        static_cast<std::size_t>(std::ranges::find(keys, column.key.word) - keys.begin());
  std::erase_if(out.order, [&](const PerfColumn& column) {
    return column.is_key && column.place == keys.size();
  });
  return out;
}

bool is_of_kernel(std::string_view dso, std::string_view sym) {
  constexpr std::string_view kOfUsers[] = {"[vdso]", "[vdso32]", "[vsyscall]", "[heap]", "[stack]"};
  constexpr std::size_t kDigitsOfHighHalf = 18;
  if (dso == "[unknown]" || dso == "-")
    return is_address(sym) && sym.size() == kDigitsOfHighHalf && sym[2] >= '8';
  return (dso.starts_with('[') && dso.ends_with(']') &&
          std::ranges::find(kOfUsers, dso) == std::end(kOfUsers));
}

std::string perf_text(const PerfKey& key, const std::vector<std::string>& values) {
  const std::string& first = values[0];
  switch (key.style) {
    case Style::file:
      return first == "-" ? "[unknown]" : std::string(last_part(first));
    case Style::symbol:
      return fmt::format("[{}] {}", is_of_kernel(values[1], first) ? 'k' : '.',
                         address_or_name(first, values[1]));
    case Style::thread:
      return fmt::format("{:>7}:{}", first, values[1]);
    case Style::cpu:
      return first == "-" ? "-001" : fmt::format("{:0>3}", first);
    default:
      return first;
  }
}

}  // namespace evname::tools
