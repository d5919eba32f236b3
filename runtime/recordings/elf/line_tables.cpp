#include "recordings/elf/line_tables.hpp"

#include <algorithm>

#include <dwarf.h>

#include "base/bytes.hpp"

namespace evname::elf {

const LineTables::Table& LineTables::table_of(Dwarf_Die& unit) {
  const auto [at, is_new] = tables_.try_emplace(dwarf_dieoffset(&unit));
  if (is_new && dwarf_hasattr(&unit, DW_AT_stmt_list)) read(at->first, at->second);
  return at->second;
}

/// Returns false if the unit's table may have too many rows, or if the section was read too often:
/// each unit has its own part. A byte makes at most one row.
bool LineTables::has_room(Dwarf_Die& unit) {
  constexpr std::uint64_t kRowSize = 100;  // in libdw
  constexpr std::uint64_t kMostTimes = 4;
  Dwarf_Attribute attribute;
  Dwarf_Word offset = 0;
  if (!dwarf_attr(&unit, DW_AT_stmt_list, &attribute) || dwarf_formudata(&attribute, &offset) != 0)
    return false;
  Elf_Data* data = nullptr;
  for (const char* name : {".debug_line", ".zdebug_line"})  // libdw has unpacked it
    if (!data) data = image_.section(name).data();
  if (!data || offset >= data->d_size) return true;
  const bool is_big = image_.header().e_ident[EI_DATA] == ELFDATA2MSB;
  Cursor in({static_cast<const std::uint8_t*>(data->d_buf), data->d_size},
            is_big ? std::endian::big : std::endian::little);
  in.skip(offset);
  std::uint64_t size = in.u32();
  if (size == UINT32_MAX) size = in.u64();
  size = std::min<std::uint64_t>(size, in.remaining());
  bytes_read_ += size;
  const bool too_often = bytes_read_ / kMostTimes > data->d_size;
  return limits_.has_room(too_often ? UINT64_MAX : size * kRowSize);
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
  if (!dwarf_ || !dwarf_offdie(dwarf_.get(), unit, &die) || !has_room(die) ||
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
    // The last row of an address counts; a row that repeats the previous line is left out.
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

}  // namespace evname::elf
