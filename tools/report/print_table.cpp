// Tables as text, CSV and JSON.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json_text.hpp"
#include "base/text.hpp"
#include "output/json_line.hpp"
#include "output/standard.hpp"
#include "report/table.hpp"
#include "screen/screen.hpp"

namespace evname::tools {
namespace {

// Samples are not precise to more than four significant digits.
std::string real_text(double value) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  const double size = std::abs(value);
  const int decimals =
      size >= 1000 || size == 0 ? 0 : 3 - static_cast<int>(std::floor(std::log10(size)));
  return fmt::format("{:.{}f}", value, std::clamp(decimals, 0, 9));
}

constexpr std::size_t kBarWidth = 20;

std::string bar_text(double share) {
  const auto length = static_cast<std::size_t>(std::lround(share * kBarWidth));
  std::string bar;
  for (std::size_t i = 0; i < length; ++i) bar += "▇";
  return bar.append(kBarWidth - length, ' ');
}

std::string shown_text(CellKind kind, const Cell& cell) {
  if (!cell.is_known) return "-";
  switch (kind) {
    case CellKind::text:
      return one_line(Screen::out, cell.text);
    case CellKind::share:
      return fmt::format("{:.1f}%", cell.real * 100);
    case CellKind::change:
      return fmt::format("{:+.1f}%", std::abs(cell.real) < 0.0005 ? 0 : cell.real * 100);
    case CellKind::real:
      return real_text(cell.real);
    case CellKind::time:
      return microseconds_text(cell.number);
    case CellKind::id:
      return cell.text;
    case CellKind::bar:
      return bar_text(cell.real);
    case CellKind::count:
      if (!cell.text.empty()) return cell.text;
      break;
  }
  return fmt::format("{}", cell.number);
}

/// A line: rows, and a label if there are several.
struct TableLine {
  Rows rows;
  std::string label;
};

/// Calls `each` with each line until it returns false.
template <class Each>
void for_each_line(const Table& table, const TableView& view, Each&& each) {
  const auto blocks = view.blocks(table);
  for (const Rows& block : blocks) {
    const Rows folded = block.last(&block == &blocks.back() ? view.folded : 0);
    const Rows good = block.first(block.size() - folded.size());
    const std::size_t shown = std::min(good.size(), view.top);
    for (std::size_t i = 0; i < shown; ++i)
      if (!each(TableLine{good.subspan(i, 1), ""})) return;
    if (const Rows rest = good.subspan(shown); !rest.empty())
      if (!each(TableLine{rest, fmt::format("({} more)", rest.size())})) return;
    if (!folded.empty())
      if (!each(TableLine{folded, fmt::format("({} {})", folded.size(), view.why_folded)})) return;
    if (table.has_totals && !each(TableLine{block, "(total)"})) return;
  }
  if (table.has_totals && blocks.size() > 1) each(TableLine{view.order, "(all)"});
}

/// The label is in the first key that differs between the rows; a grand total's in the first of
/// all.
std::string cell_text(const Table& table, std::size_t column, std::size_t label_column,
                      const TableLine& line) {
  const Column& of = table.columns[column];
  if (line.label.empty()) return shown_text(of.kind, of.of(line.rows));
  if (!of.is_key) return shown_text(of.kind, of.of(line.rows));
  const bool common = column == table.block_column && line.label != "(all)";
  if (common) return shown_text(of.kind, of.of(line.rows.first(1)));
  return column == label_column ? line.label : "";
}

std::size_t label_column_of(const Table& table) {
  std::size_t label = SIZE_MAX;
  for (std::size_t i = table.columns.size(); i-- > 0;)
    if (table.columns[i].is_key && !table.columns[i].only_data && i != table.block_column)
      label = i;
  return label;
}

bool is_left_out(const Column& column, const TableView& view) {
  if (column.only_data) return true;
  if (!column.rare) return false;
  for (const std::size_t row : view.order) {
    const Cell cell = column.of(Rows(&row, 1));
    if (cell.is_known && (cell.number != 0 || cell.real != 0)) return false;
  }
  return true;
}

}  // namespace

namespace {

void append_cell(std::string& text, std::string_view cell, std::size_t width, bool left) {
  const bool is_ascii = std::ranges::all_of(cell, [](char c) { return (c & 0x80) == 0; });
  const std::string spaces(width - std::min(width, is_ascii ? cell.size() : width), ' ');
  if (is_ascii)
    (text += left ? cell : spaces) += left ? spaces : cell;
  else  // whose letters may be two columns wide
    text += left ? fmt::format("{:<{}}", cell, width) : fmt::format("{:>{}}", cell, width);
}

}  // namespace

// Numbers to the right, keys to the left; the last column has no spaces after it. Each cell is made
// twice, for its width and for printing, so that a million rows are not kept as text.
void print_text(const Table& table, const TableView& view) {
  const std::size_t label = label_column_of(table);
  struct Shown {
    std::size_t column, width;
  };
  std::vector<Shown> shown;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (!is_left_out(table.columns[i], view)) shown.push_back({i, table.columns[i].name.size()});
  for_each_line(table, view, [&](const TableLine& line) {
    for (Shown& one : shown)
      one.width = std::max(one.width, table.columns[one.column].kind == CellKind::bar
                                          ? kBarWidth
                                          : cell_text(table, one.column, label, line).size());
    return true;
  });
  std::string text;
  const auto print = [&](auto&& cell_of) {
    text.clear();
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const bool last = i + 1 == shown.size(), left = table.columns[shown[i].column].is_key;
      append_cell(text, cell_of(i), left && last ? 0 : shown[i].width, left);
      if (!last) text += "  ";
    }
    return to_stdout(text += '\n');
  };
  if (!print([&](std::size_t i) { return table.columns[shown[i].column].name; })) return;
  for_each_line(table, view, [&](const TableLine& line) {
    return print([&](std::size_t i) { return cell_text(table, shown[i].column, label, line); });
  });
}

namespace {

std::string csv_text(std::string text, bool guard_formulas) {
  if (guard_formulas) text = without_formulas(text);
  std::string valid;
  append_utf8(valid, text);
  if (valid.find_first_of(",\"\n\r") == valid.npos) return valid;
  std::string quoted = "\"";
  for (const char letter : valid) quoted += letter == '"' ? "\"\"" : std::string(1, letter);
  return quoted + '"';
}

std::string csv_cell(CellKind kind, const Cell& cell, bool guard_formulas) {
  if (!cell.is_known) return "";
  switch (kind) {
    case CellKind::text:
      return csv_text(cell.text, guard_formulas);
    case CellKind::id:
      return cell.text;
    case CellKind::share:
    case CellKind::change:
    case CellKind::real:
    case CellKind::bar:
      return std::isfinite(cell.real) ? fmt::format("{}", cell.real) : "";
    case CellKind::time:
      return seconds_text(cell.number);
    case CellKind::count:
      break;
  }
  return fmt::format("{}", cell.number);
}

void add_json(JsonLine& line, const Column& column, const Cell& cell) {
  if (!cell.is_known) {
    line.null(column.name);
    return;
  }
  switch (column.kind) {
    case CellKind::text:
      line.text(column.name, cell.text);
      break;
    case CellKind::id:
      line.number_text(column.name, cell.text);
      break;
    case CellKind::count:
      line.number(column.name, cell.number);
      break;
    case CellKind::time:
      line.seconds(column.name, cell.number);
      break;
    default:
      line.real(column.name, cell.real);
  }
}

/// Keys first, then numbers.
std::vector<const Column*> data_columns(const Table& table) {
  std::vector<const Column*> out;
  for (const Column& column : table.columns)
    if (column.is_key) out.push_back(&column);
  for (const Column& column : table.columns)
    if (!column.is_key) out.push_back(&column);
  return out;
}

/// Calls `print` with each shown row, and reports the number of rows left out.
template <class Print>
void for_each_row(const Table& table, const TableView& view, Print&& print) {
  std::size_t left_out = 0;
  const auto blocks = view.blocks(table);
  for (const Rows& block : blocks) {
    const std::size_t good = block.size() - (&block == &blocks.back() ? view.folded : 0);
    const std::size_t shown = std::min(good, view.top);
    for (std::size_t i = 0; i < shown; ++i)
      if (!print(block.subspan(i, 1))) return;
    left_out += good - shown;
  }
  if (left_out > 0)
    tell_note("{} (--top)", counted(left_out, "row is left out", "rows are left out"));
  if (view.folded > 0)
    tell_note("{} {} left out (--min-samples)", counted(view.folded, "row", "rows"),
              view.why_folded);
}

}  // namespace

void print_csv(const Table& table, const TableView& view, bool guard_formulas) {
  print_csv_head(table, guard_formulas);
  print_csv_rows(table, view, guard_formulas);
}

void print_csv_head(const Table& table, bool guard_formulas) {
  std::string line;
  for (const Column* column : data_columns(table))
    line += (line.empty() ? "" : ",") + csv_text(column->name, guard_formulas);
  to_stdout(line += "\n");
}

void print_csv_rows(const Table& table, const TableView& view, bool guard_formulas) {
  const auto columns = data_columns(table);
  std::string line;
  for_each_row(table, view, [&](Rows row) {
    line.clear();
    for (const Column* column : columns)
      (line += column == columns[0] ? "" : ",") +=
          csv_cell(column->kind, column->of(row), guard_formulas);
    return to_stdout(line += "\n");
  });
}

void print_json(const Table& table, const TableView& view) {
  const auto columns = data_columns(table);
  for_each_row(table, view, [&](Rows row) {
    std::string text;
    {
      JsonLine line(&text);
      for (const Column* column : columns) add_json(line, *column, column->of(row));
    }
    return to_stdout(text);
  });
}

}  // namespace evname::tools
