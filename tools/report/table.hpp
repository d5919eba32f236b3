#pragma once
// Makes tables of numbers and keys from reports, sorts and shortens them, and prints them as text,
// CSV or JSON.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evname/error.hpp"
#include "evname/metric.hpp"
#include "evname/report.hpp"
#include "report/changes.hpp"

namespace evname::tools {

/// The format of a value.
enum class CellKind : std::uint8_t {
  text,
  id,      ///< the digits of a process, thread or CPU
  count,   ///< a whole number; text shows `text` instead, if there is one
  share,   ///< 0 to 1; in text a percentage
  change,  ///< the same for a change, with its sign
  real,
  time,  ///< ns; in JSON and CSV seconds
  bar,   ///< 0 to 1, as the length of a bar; text only
};

/// A value; its kind selects the member.
struct Cell {
  bool is_known = false;  ///< false: "-", null
  std::uint64_t number = 0;
  double real = 0;
  std::string text = {};

  static Cell of(std::uint64_t number) { return {true, number, 0, {}}; }
  static Cell of(double real) { return {true, 0, real, {}}; }
  static Cell of(std::string text) { return {true, 0, 0, std::move(text)}; }
};

/// Returns part / all; 0 if all is 0.
inline double ratio(std::uint64_t part, std::uint64_t all) {
  return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0.0;
}

using Rows = std::span<const std::size_t>;

struct Column {
  std::string name;
  CellKind kind = CellKind::text;
  /// The cell of one row, or the sum of several; a key has a value only for one row.
  std::function<Cell(Rows rows)> of;
  bool rare = false;  ///< text: left out if all cells are zero
  bool is_key = false;
  bool only_data = false;  ///< CSV and JSON only
};

struct Table {
  std::vector<Column> columns;  ///< text: in this order
  /// The block of each row; its rows are adjacent and have a total.
  std::vector<std::size_t> blocks;
  /// The common key of a block's rows; SIZE_MAX: none.
  std::size_t block_column = SIZE_MAX;
  bool has_totals = true;

  std::size_t size() const { return blocks.size(); }
};

/// The printed part of a table.
struct TableView {
  std::vector<std::size_t> order;  ///< rows; the rows of a block are adjacent
  std::size_t top = SIZE_MAX;      ///< rows of a block
  std::size_t folded = 0;  ///< rows at the end that are one line in text, and left out of data
  std::string why_folded;  ///< "with fewer than 10 samples of an event"

  /// The rows of each block, in their order.
  std::vector<Rows> blocks(const Table& table) const;
};

/// Rows in the order of "COLUMN,COLUMN:asc"; blocks keep their order. Numbers fall and texts rise
/// unless ":asc" or ":desc" follows. Empty: unchanged. Errors: invalid_argument; the message names
/// the columns.
Result<TableView> view_of(const Table& table, std::string_view order, std::size_t top);

/// Moves rows to the end of the view's last block and folds them there.
void fold(TableView& view, const std::function<bool(std::size_t row)>& is_folded, std::string why);

/// Each block ends with the sum of its left out rows, and its total.
void print_text(const Table& table, const TableView& view);
/// RFC 4180 with a header. `guard_formulas`: ' goes before a text that a spreadsheet would compute.
void print_csv(const Table& table, const TableView& view, bool guard_formulas);
void print_csv_head(const Table& table, bool guard_formulas);
void print_csv_rows(const Table& table, const TableView& view, bool guard_formulas);
/// One object per line: keys first.
void print_json(const Table& table, const TableView& view);

/// The place of `event` if it is one of several keys; the rows of an event are then a block.
std::size_t event_block_key(const std::vector<SortKey>& keys);

// The tables refer to their inputs.

/// The keys of rows, and the fields of tracepoints among them (ReportOptions::fields).
struct TableKeys {
  std::vector<SortKey> keys;
  std::vector<std::string> fields;
  std::vector<SortKey> numbers;  ///< the keys whose values are decimal numbers
  bool waits = false;            ///< periods are times that threads waited
  std::vector<bool> in_ns = {};  ///< the same, by event of the report
  bool branches = false;         ///< rows count branches

  bool is_in_ns(const Report::Event& event) const;

  std::vector<std::string> names() const;
};

Table table_of(const std::vector<Report::Row>& rows, const TableKeys& of);
Table table_of(const std::vector<ReportChange>& changes, const TableKeys& of);
/// A block for each key of memory accesses.
Table table_of(const std::vector<Report::MemoryRow>& rows);

/// Returns for each of set.events() the index in report.events() that counts it; SIZE_MAX: none.
std::vector<std::size_t> events_counting(const Report& report, const Recording& file,
                                         const MetricSet& set);

/// Returns the events of a metric that the recording has no samples of: without them it has no
/// value.
std::vector<std::size_t> uncounted(const MetricSet& set, std::size_t metric,
                                   std::span<const std::size_t> counted_by);

/// Metrics of the samples that are equal in `keys`, which don't include `event`.
struct SampledMetrics {
  struct Row {
    std::vector<std::string> keys;
    std::vector<SampleSums> events;  ///< parallel to `events` below
  };
  MetricSet set;
  std::vector<std::size_t> events;  ///< the indexes in Report::events() of needed events
  /// Parallel to set.events(): the index in `events` that counts it; SIZE_MAX: none.
  std::vector<std::size_t> counted_by;
  std::vector<Row> rows;
  bool is_part =
      false;  ///< other metrics were requested, but are unknown or their events were not recorded

  /// The values of a metric for several rows, and the fewest samples of any event.
  struct Value {
    MetricSet::Value value;
    std::uint64_t samples = 0;
  };
  Value value(std::size_t metric, Rows rows) const;
  /// Returns Value::samples alone.
  std::uint64_t rarest(std::size_t metric, Rows rows) const;
  /// The samples of the events that the metrics are computed from.
  std::uint64_t samples(Rows rows) const;
};

/// `report` has rows by `event` and then by other keys. Returns nullopt after reporting why there
/// is no metric; messages begin with `option`.
std::optional<SampledMetrics> sampled_metrics(const Report& report, const Recording& file,
                                              const std::vector<std::string>& names,
                                              std::string_view option);

Table table_of(const SampledMetrics& metrics, const TableKeys& of);

}  // namespace evname::tools
