#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "base/letters.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"
#include "metrics/label.hpp"
#include "recordings/perf_data/recorded_facts.hpp"

namespace evname::tools {

namespace {

bool is_text(CellKind kind) { return kind == CellKind::text; }

/// Returns the first letter or number of a text, which is not empty, and removes it. Numbers come
/// where their digits do, and in order of their values; 0x begins a hexadecimal one.
std::pair<unsigned char, std::uint64_t> take_piece(std::string_view& text) {
  const bool hex = text.size() > 2 && text.starts_with("0x") && is_hex_digit(text[2]);
  const char first = text[0];
  if (!is_digit(first)) {
    text.remove_prefix(1);
    return {static_cast<unsigned char>(first), 0};
  }
  if (hex) text.remove_prefix(2);
  constexpr std::size_t kDigits = 16;  // fit in 64 bits; longer numbers are several pieces
  std::uint64_t value = 0;
  const char* const end = text.data() + std::min(text.size(), kDigits);
  const auto [stop, error] = std::from_chars(text.data(), end, value, hex ? 16 : 10);
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return {'0', value};
}

/// Compares texts by their numbers and letters: "main.c:9" comes before "main.c:10", 0x9 before
/// 0x10, "8-15" before "64-127".
bool is_less(std::string_view a, std::string_view b) {
  std::string_view one = a, other = b;
  while (!one.empty() && !other.empty()) {
    const auto piece = take_piece(one), against = take_piece(other);
    if (piece != against) return piece < against;
  }
  if (one.empty() != other.empty()) return one.empty();
  return a < b;  // numbers with zeros before them
}

/// Less than, equal to or greater than 0, as with <=>; unknown values come last in both directions.
int compare(CellKind kind, const Cell& a, const Cell& b) {
  const auto sign = [](const auto& one, const auto& other) {
    return one < other ? -1 : other < one ? 1 : 0;
  };
  switch (kind) {
    case CellKind::text:
      return is_less(a.text, b.text) ? -1 : is_less(b.text, a.text);
    case CellKind::share:
    case CellKind::change:
    case CellKind::real:
      return sign(a.real, b.real);
    case CellKind::id: {  // the two's complement of a negative number
      const auto value = [](const Cell& cell) {
        return std::pair(!cell.text.starts_with('-'), cell.number);
      };
      return sign(value(a), value(b));
    }
    default:
      return sign(a.number, b.number);
  }
}

struct OrderBy {
  const Column* column;
  bool up;
};

Result<OrderBy> parse_order(const Table& table, std::string_view word) {
  const std::size_t colon = word.rfind(':');
  const std::string_view name = word.substr(0, colon);
  const std::string_view way = colon == word.npos ? "" : word.substr(colon + 1);
  const auto column = std::ranges::find(table.columns, name, &Column::name);
  if (column == table.columns.end() || (way != "" && way != "asc" && way != "desc")) {
    std::string names;
    for (const Column& one : table.columns) names += (names.empty() ? "" : ", ") + one.name;
    return fail(Errc::invalid_argument, fmt::format("no column '{}'", word), "", names);
  }
  const bool counts_up = is_text(column->kind) || column->kind == CellKind::id;
  return OrderBy{&*column, way.empty() ? counts_up : way == "asc"};
}

}  // namespace

std::vector<Rows> TableView::blocks(const Table& table) const {
  std::vector<Rows> out;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    for (end = begin + 1; end < order.size(); ++end)
      if (table.blocks[order[end]] != table.blocks[order[begin]]) break;
    out.push_back(Rows(order).subspan(begin, end - begin));
  }
  return out;
}

Result<TableView> view_of(const Table& table, std::string_view order, std::size_t top) {
  TableView view;
  view.top = top;
  view.order.resize(table.size());
  std::iota(view.order.begin(), view.order.end(), std::size_t{0});
  if (order.empty()) return view;
  std::vector<OrderBy> by;
  for (const std::string_view word : split(order, ',')) {
    auto one = parse_order(table, word);
    if (!one) return fail(std::move(one));
    by.push_back(*one);
  }
  std::vector<std::vector<Cell>> cells(by.size());
  for (std::size_t i = 0; i < by.size(); ++i)
    for (const std::size_t row : view.order) cells[i].push_back(by[i].column->of(Rows(&row, 1)));
  sort_stably(view.order, [&](std::size_t a, std::size_t b) {
    if (table.blocks[a] != table.blocks[b]) return table.blocks[a] < table.blocks[b];
    for (std::size_t i = 0; i < by.size(); ++i) {
      const Cell &one = cells[i][a], &other = cells[i][b];
      if (one.is_known != other.is_known) return one.is_known;
      if (const int way = compare(by[i].column->kind, one, other))
        return by[i].up ? way < 0 : way > 0;
    }
    return false;
  });
  return view;
}

void fold(TableView& view, const std::function<bool(std::size_t row)>& is_folded, std::string why) {
  const auto folded = std::ranges::stable_partition(view.order, std::not_fn(is_folded));
  view.folded = folded.size();
  view.why_folded = std::move(why);
}

namespace {

/// "-" stands for a value that was not sampled.
Cell key_cell(const std::string& value) {
  Cell cell = value == "-" ? Cell() : Cell::of(value);
  if (const char* const text = value.c_str(); cell.is_known)
    cell.number = std::strtoull(text, nullptr, 10);
  return cell;
}

/// Columns of the keys of rows, which `keys_of` gives for an index.
template <class KeysOf>
void add_keys(Table& table, const TableKeys& of, KeysOf keys_of) {
  const std::vector<SortKey>& keys = of.keys;
  const std::vector<std::string> names = of.names();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool is_number = std::ranges::count(of.numbers, keys[i]) > 0;
    const CellKind kind = is_number ? CellKind::id : CellKind::text;
    table.columns.push_back(
        {names[i], kind, [=](Rows rows) { return key_cell(keys_of(rows[0])[i]); }, false, true});
  }
}

/// Rows with the same text of the key are a block; rows of an event are already adjacent.
template <class KeysOf>
void add_blocks(Table& table, std::size_t rows, const std::vector<SortKey>& keys,
                std::size_t first_key_column, KeysOf keys_of) {
  const std::size_t key = event_block_key(keys);
  table.blocks.assign(rows, 0);
  if (key == SIZE_MAX) return;
  table.block_column = first_key_column + key;
  for (std::size_t i = 1; i < rows; ++i)
    table.blocks[i] = table.blocks[i - 1] + (keys_of(i)[key] != keys_of(i - 1)[key]);
}

/// Adds sums of weights. `weights_of` returns them for some rows, and `all_of` the cost that their
/// share refers to.
template <class WeightsOf, class AllOf>
void add_weights(Table& table, WeightsOf weights_of, const AllOf& all_of) {
  table.columns.push_back(
      {"cost", CellKind::count, [=](Rows of) { return Cell::of(weights_of(of).cost); }});
  table.columns.push_back({"cost_share", CellKind::share, [=](Rows of) {
                             return Cell::of(ratio(weights_of(of).cost, all_of(of)));
                           }});
  table.columns.push_back({"mean", CellKind::real, [=](Rows of) {
                             const Report::Weights sums = weights_of(of);
                             return sums.weighted > 0 ? Cell::of(ratio(sums.sum, sums.weighted))
                                                      : Cell();
                           }});
  table.columns.push_back({"most", CellKind::count, [=](Rows of) {
                             const Report::Weights sums = weights_of(of);
                             return sums.weighted > 0 ? Cell::of(sums.most) : Cell();
                           }});
}

/// Adds up a number of each event of the rows.
template <class NumberOf>
std::uint64_t sum_of_events(const std::vector<Report::Row>& rows, Rows of, NumberOf number_of) {
  std::set<std::size_t> events;
  std::uint64_t sum = 0;
  for (const std::size_t row : of)
    if (events.insert(rows[row].event).second) sum += number_of(rows[row]);
  return sum;
}

/// The cost of all rows, or of each event's rows if `apart`.
std::vector<std::uint64_t> costs_of(const std::vector<Report::Row>& rows, bool apart) {
  std::vector<std::uint64_t> costs(1);
  for (const Report::Row& row : rows) {
    if (row.event >= costs.size()) costs.resize(row.event + 1);
    costs[apart ? row.event : 0] += row.weights.cost;
  }
  return costs;
}

SampleSums total(const std::vector<Report::Row>& rows, Rows of) {
  SampleSums sums;
  for (const std::size_t row : of) sums += rows[row];
  return sums;
}

/// Adds a column of sums of rows. `cell_of` returns the cell of a sum.
template <class CellOf>
void add_sum(Table& table, const std::vector<Report::Row>& rows, const char* name, CellKind kind,
             CellOf cell_of) {
  table.columns.push_back(
      {name, kind, [&rows, cell_of](Rows of) { return cell_of(total(rows, of)); }});
}

/// Adds what a share is a part of: samples or, of waits, their time.
void add_share(Table& table, const std::vector<Report::Row>& rows, const TableKeys& of) {
  const std::vector<SortKey>& keys = of.keys;
  const bool apart = std::ranges::find(keys, SortKey::event) != keys.end() && keys.size() > 1;
  const auto weight = of.waits ? &SampleSums::period : &SampleSums::samples;
  table.columns.push_back({"share", CellKind::share, [&rows, apart, weight](Rows of) {
                             const std::uint64_t all =
                                 apart ? sum_of_events(rows, of,
                                                       [](const Report::Row& r) { return r.of; })
                                       : rows[of[0]].of;
                             return Cell::of(ratio(total(rows, of).*weight, all));
                           }});
  table.columns.push_back({"of", of.waits ? CellKind::time : CellKind::count,
                           [&rows](Rows of) { return Cell::of(rows[of[0]].of); }});
  table.columns.back().only_data = true;
}

void add_branches(Table& table, const std::vector<Report::Row>& rows) {
  using Sums = Report::Branches;
  const auto add = [&](const char* name, CellKind kind, auto cell_of) {
    table.columns.push_back({name, kind, [&rows, cell_of](Rows of) {
                               Sums sums;
                               for (const std::size_t row : of) sums += rows[row].branches;
                               return cell_of(sums);
                             }});
  };
  add("mispredicted", CellKind::count, [](const Sums& s) { return Cell::of(s.mispredicted); });
  add("mispredicted_share", CellKind::share, [](const Sums& s) {
    const std::uint64_t known = s.predicted + s.mispredicted;
    return known > 0 ? Cell::of(ratio(s.mispredicted, known)) : Cell();
  });
  const auto timed = [](const Sums& s, auto value) {
    return s.timed > 0 ? Cell::of(value) : Cell();
  };
  add("cycles_mean", CellKind::real,
      [=](const Sums& s) { return timed(s, ratio(s.cycles, s.timed)); });
  add("cycles_least", CellKind::count,
      [=](const Sums& s) { return timed(s, std::uint64_t{s.least}); });
  add("in_transaction", CellKind::count, [](const Sums& s) { return Cell::of(s.in_transaction); });
  add("aborted", CellKind::count, [](const Sums& s) { return Cell::of(s.aborted); });
}

void add_samples(Table& table, const std::vector<Report::Row>& rows, const TableKeys& of) {
  const auto add_count = [&] {
    add_sum(table, rows, of.branches ? "branches" : "samples", CellKind::count,
            [](const SampleSums& s) { return Cell::of(s.samples); });
  };
  if (of.waits) {  // of all events in ns
    add_sum(table, rows, "waited", CellKind::time,
            [](const SampleSums& s) { return Cell::of(s.period); });
    add_share(table, rows, of);
    return add_count();
  }
  add_count();
  add_share(table, rows, of);
  if (of.branches) return add_branches(table, rows);
  // Counts of different events can't be added.
  table.columns.push_back(
      {"period", CellKind::count, [&rows, keys = of.keys, in_ns = of.in_ns](Rows of) {
         const bool apart = std::ranges::find(keys, SortKey::event) != keys.end();
         const std::size_t event = rows[of[0]].event;
         for (const std::size_t row : of)
           if (apart && rows[row].event != event) return Cell();
         Cell cell = Cell::of(total(rows, of).period);
         if (apart && event < in_ns.size() && in_ns[event])
           cell.text = microseconds_text(cell.number) + " s";
         return cell;
       }});
}

void add_weights_of_rows(Table& table, const std::vector<Report::Row>& rows, bool apart) {
  const auto weights = [&rows](Rows of) {
    Report::Weights sums;
    for (const std::size_t row : of) sums += rows[row].weights;
    return sums;
  };
  add_weights(table, weights, [=, &rows, costs = costs_of(rows, apart)](Rows of) {
    return apart ? sum_of_events(rows, of, [&](const Report::Row& row) { return costs[row.event]; })
                 : costs[0];
  });
}

void add_children(Table& table, const std::vector<Report::Row>& rows, bool waits) {
  const auto sum = [&rows](Rows of, std::uint64_t Report::Row::*member) {
    return of.size() == 1 ? Cell::of(rows[of[0]].*member)
                          : Cell();  // callers include the samples of others
  };
  table.columns.push_back(
      {"children", CellKind::count, [=](Rows of) { return sum(of, &Report::Row::children); }});
  const auto weight = waits ? &Report::Row::children_period : &Report::Row::children;
  table.columns.push_back({"children_share", CellKind::share, [&rows, weight](Rows of) {
                             const Report::Row& row = rows[of[0]];
                             if (of.size() != 1 || row.of == 0) return Cell();
                             return Cell::of(ratio(row.*weight, row.of));
                           }});
  table.columns.push_back({waits ? "children_waited" : "children_period",
                           waits ? CellKind::time : CellKind::count,
                           [=](Rows of) { return sum(of, &Report::Row::children_period); }});
}

void add_times_and_losses(Table& table, const std::vector<Report::Row>& rows) {
  static constexpr std::string_view kRare[] = {
      "lost",    "throttled",    "cycles_mean",    "cycles_least",
      "aborted", "mispredicted", "in_transaction", "mispredicted_share"};
  add_sum(table, rows, "first", CellKind::time,
          [](const SampleSums& s) { return s.is_timed() ? Cell::of(s.first) : Cell(); });
  add_sum(table, rows, "last", CellKind::time,
          [](const SampleSums& s) { return s.is_timed() ? Cell::of(s.last) : Cell(); });
  add_sum(table, rows, "lost", CellKind::count,
          [](const SampleSums& s) { return Cell::of(s.lost); });
  add_sum(table, rows, "throttled", CellKind::count,
          [](const SampleSums& s) { return Cell::of(s.throttled); });
  for (Column& column : table.columns)
    column.rare = std::ranges::find(kRare, column.name) != std::end(kRare);
}

}  // namespace

std::size_t event_block_key(const std::vector<SortKey>& keys) {
  const auto at = std::ranges::find(keys, SortKey::event) - keys.begin();
  return keys.size() > 1 && at < std::ssize(keys) ? static_cast<std::size_t>(at) : SIZE_MAX;
}

Table table_of(const std::vector<Report::Row>& rows, const TableKeys& of) {
  const std::vector<SortKey>& keys = of.keys;
  Table table;
  add_samples(table, rows, of);
  if (std::ranges::any_of(rows, [](const Report::Row& row) { return row.weights.cost > 0; }))
    add_weights_of_rows(table, rows, event_block_key(keys) != SIZE_MAX);
  if (std::ranges::any_of(rows, [](const Report::Row& row) { return row.children > 0; }))
    add_children(table, rows, of.waits);
  add_times_and_losses(table, rows);
  const auto keys_of = [&rows](std::size_t row) -> const std::vector<std::string>& {
    return rows[row].keys;
  };
  add_blocks(table, rows.size(), keys, table.columns.size(), keys_of);
  add_keys(table, of, keys_of);
  return table;
}

bool TableKeys::is_in_ns(const Report::Event& event) const {
  return waits || perf_data::has_durations(event.event);
}

std::vector<std::string> TableKeys::names() const {
  std::vector<std::string> names;
  for (const SortKey key : keys) {
    const SortKeyInfo& info = sort_keys()[static_cast<std::size_t>(key)];
    if (info.of == SortKeyInfo::Of::tracepoints)
      names.push_back(
          fields[static_cast<std::size_t>(key) - static_cast<std::size_t>(SortKey::field0)]);
    else
      names.emplace_back(info.name);
  }
  return names;
}

Table table_of(const std::vector<ReportChange>& changes, const TableKeys& of) {
  const std::vector<SortKey>& keys = of.keys;
  Table table;
  const auto keys_of = [&changes](std::size_t row) -> const std::vector<std::string>& {
    return changes[row].keys;
  };
  const auto event =
      static_cast<std::size_t>(std::ranges::find(keys, SortKey::event) - keys.begin());
  // Neither counts nor shares of different events can be added.
  const auto is_mixed = [keys_of, event, several = keys.size()](Rows of) {
    return event < several && std::ranges::any_of(of, [&](std::size_t row) {
             return keys_of(row)[event] != keys_of(of[0])[event];
           });
  };
  const auto add = [&](const char* name, CellKind kind, bool of_one_event, auto value_of) {
    table.columns.push_back({name, kind, [=, &changes](Rows of) {
                               if (of_one_event && of.size() > 1 && is_mixed(of)) return Cell();
                               auto sum = value_of(changes[of[0]]);
                               for (const std::size_t row : of.subspan(1))
                                 sum += value_of(changes[row]);
                               return Cell::of(sum);
                             }});
  };
  using Change = ReportChange;
  const bool apart = event_block_key(keys) != SIZE_MAX;
  add("before", CellKind::count, false, [](const Change& c) { return c.before.samples; });
  add("after", CellKind::count, false, [](const Change& c) { return c.after.samples; });
  add("share_before", CellKind::share, apart, [](const Change& c) { return c.share_before; });
  add("share_after", CellKind::share, apart, [](const Change& c) { return c.share_after; });
  add("change", CellKind::change, apart,
      [](const Change& c) { return c.share_after - c.share_before; });
  const bool waits = of.waits;
  const CellKind period = waits ? CellKind::time : CellKind::count;
  add(waits ? "waited_before" : "period_before", period, !waits,
      [](const Change& c) { return c.before.period; });
  add(waits ? "waited_after" : "period_after", period, !waits,
      [](const Change& c) { return c.after.period; });
  add_blocks(table, changes.size(), keys, table.columns.size(), keys_of);
  add_keys(table, of, keys_of);
  return table;
}

Table table_of(const std::vector<Report::MemoryRow>& rows) {
  Table table;
  table.has_totals = false;
  std::uint64_t samples = 0, cost = 0;
  for (const Report::MemoryRow& row : rows) {
    if (row.key != rows[0].key) break;
    samples += row.samples;
    cost += row.weights.cost;
  }
  const auto samples_of = [&rows](Rows of) {
    std::uint64_t sum = 0;
    for (const std::size_t row : of) sum += rows[row].samples;
    return sum;
  };
  table.columns.push_back(
      {"samples", CellKind::count, [=](Rows of) { return Cell::of(samples_of(of)); }});
  table.columns.push_back({"share", CellKind::share, [=](Rows of) {
                             return Cell::of(static_cast<double>(samples_of(of)) /
                                             static_cast<double>(samples));
                           }});
  add_weights(
      table,
      [&rows](Rows of) {
        Report::Weights sums;
        for (const std::size_t row : of) sums += rows[row].weights;
        return sums;
      },
      [=](Rows) { return cost; });
  table.block_column = table.columns.size();
  table.columns.push_back({"by", CellKind::text,
                           [&rows](Rows of) {
                             const auto key = static_cast<std::size_t>(rows[of[0]].key);
                             return Cell::of(std::string(sort_keys()[key].name));
                           },
                           false, true});
  table.columns.push_back({"value", CellKind::text,
                           [&rows](Rows of) { return key_cell(rows[of[0]].value); }, false, true});
  for (const Report::MemoryRow& row : rows)
    table.blocks.push_back(static_cast<std::size_t>(row.key));
  return table;
}

Table table_of(const SampledMetrics& metrics, const TableKeys& of) {
  Table table;
  std::vector<std::size_t> all(metrics.rows.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto total = static_cast<double>(metrics.samples(all));
  table.columns.push_back(
      {"samples", CellKind::count, [&metrics](Rows of) { return Cell::of(metrics.samples(of)); }});
  table.columns.push_back({"share", CellKind::share, [&metrics, total](Rows of) {
                             const auto samples = static_cast<double>(metrics.samples(of));
                             return Cell::of(total > 0 ? samples / total : 0.0);
                           }});
  for (std::size_t i = 0; i < metrics.set.metrics().size(); ++i) {
    const std::string name = metric_label(metrics.set, i);
    table.columns.push_back({name, CellKind::real, [&metrics, i](Rows of) {
                               const MetricSet::Value value = metrics.value(i, of).value;
                               return value.has_value() ? Cell::of(value.value) : Cell();
                             }});
    table.columns.push_back({name + "_samples", CellKind::count,
                             [&metrics, i](Rows of) { return Cell::of(metrics.rarest(i, of)); }});
  }
  table.blocks.assign(metrics.rows.size(), 0);
  add_keys(table, of, [&metrics](std::size_t row) -> const std::vector<std::string>& {
    return metrics.rows[row].keys;
  });
  return table;
}

}  // namespace evname::tools
