#include "events/trees/csv.hpp"

#include "base/read_file.hpp"
#include "base/text.hpp"

namespace evname::trees {
namespace {

/// Returns the cells of one line; a quoted cell may hold commas and "" for a quote.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && line.substr(i + 1).starts_with('"')) {
      cells.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

}  // namespace

std::vector<CsvRow> read_csv(const std::string& path, Diagnostics& diagnostics) {
  const std::uint32_t file = diagnostics.add_file(path);
  std::vector<CsvRow> rows;
  const auto text = read_tree_file(path);
  if (!text) {
    diagnostics.report(Severity::error, {file, 0}, "", "", text.error().message);
    return rows;
  }
  std::uint32_t offset = 0;
  for (std::string_view line : split(*text, '\n')) {
    const Place place{file, offset};
    offset += static_cast<std::uint32_t>(line.size() + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty() && line[0] != '#') rows.push_back({cells_of(line), place});
  }
  return rows;
}

}  // namespace evname::trees
