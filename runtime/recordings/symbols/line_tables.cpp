#include "recordings/symbols/line_tables.hpp"

#include <algorithm>

#include <dwarf.h>

namespace evname::symbols {

const LineTables::Table& LineTables::table_of(Dwarf_Die& unit) {
  const auto [at, is_new] = tables_.try_emplace(dwarf_dieoffset(&unit));
  if (is_new && dwarf_hasattr(&unit, DW_AT_stmt_list)) read(at->first, at->second);
  return at->second;
}

void LineTables::read(Dwarf_Off unit, Table& table) {
  if (!dwarf_) {
    dwarf_.reset(open_());
    rows_read_ = 0;
  }
  Dwarf_Die die;
  Dwarf_Lines* lines = nullptr;
  Dwarf_Files* files = nullptr;
  std::size_t count = 0, file_count = 0;
  if (!dwarf_ || !dwarf_offdie(dwarf_.get(), unit, &die) ||
      dwarf_getsrclines(&die, &lines, &count) != 0)
    return;
  rows_read_ += count;
  if (dwarf_getsrcfiles(&die, &files, &file_count) != 0) file_count = 0;
  for (std::size_t i = 0; i < file_count; ++i)
    table.files.push_back(kept(dwarf_filesrc(files, i, nullptr, nullptr)));
  for (std::size_t i = 0; i < count; ++i) {
    Dwarf_Line* const line = dwarf_onesrcline(lines, i);
    Row row{0, kNoFile, kEnd};
    bool ends = false;
    std::size_t file = 0;
    int number = 0;
    Dwarf_Files* ignored = nullptr;
    if (!line || dwarf_lineaddr(line, &row.address) != 0) continue;
    dwarf_lineendsequence(line, &ends);
    if (!ends) {
      dwarf_lineno(line, &number);
      row.line = static_cast<std::uint32_t>(number);
      if (dwarf_line_file(line, &ignored, &file) == 0) row.file = static_cast<std::uint32_t>(file);
    }
    // The last row of an address counts, and a row that repeats the line before it is left out.
    if (!table.rows.empty() && table.rows.back().address == row.address) table.rows.pop_back();
    if (table.rows.empty() || table.rows.back().file != row.file ||
        table.rows.back().line != row.line)
      table.rows.push_back(row);
  }
  table.rows.shrink_to_fit();
  if (rows_read_ > kMostRows) dwarf_.reset();
}

LineTables::Place LineTables::place(Dwarf_Die unit, std::uint64_t address) {
  const Table& table = table_of(unit);
  const auto after = std::upper_bound(table.rows.begin(), table.rows.end(), address,
                                      [](std::uint64_t a, const Row& b) { return a < b.address; });
  if (after == table.rows.begin()) return {};
  const Row& row = after[-1];
  if (row.file == kNoFile && row.line == kEnd) return {};
  return {row.file < table.files.size() ? table.files[row.file] : std::string_view(), row.line};
}

std::string_view LineTables::path(Dwarf_Die unit, std::uint64_t file) {
  const Table& table = table_of(unit);
  return file < table.files.size() ? table.files[file] : std::string_view();
}

}  // namespace evname::symbols
