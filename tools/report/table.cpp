#include "report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/text.hpp"

namespace evname::tools {
namespace {

bool is_text(CellKind kind) { return kind == CellKind::text; }

/// Less, equal or more than 0, as with <=>; what is not known comes last in either direction.
int compare(CellKind kind, const Cell& a, const Cell& b) {
  const auto sign = [](const auto& one, const auto& other) {
    return one < other ? -1 : other < one ? 1 : 0;
  };
  switch (kind) {
    case CellKind::text:
      return sign(a.text, b.text);
    case CellKind::share:
    case CellKind::change:
    case CellKind::real:
      return sign(a.real, b.real);
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
    if (!one) return tl::unexpected<Error>(std::move(one.error()));
    by.push_back(*one);
  }
  std::vector<std::vector<Cell>> cells(by.size());
  for (std::size_t i = 0; i < by.size(); ++i)
    for (const std::size_t row : view.order) cells[i].push_back(by[i].column->of(Rows(&row, 1)));
  std::ranges::stable_sort(view.order, [&](std::size_t a, std::size_t b) {
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

}  // namespace evname::tools
