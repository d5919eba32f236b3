// The instructions of functions in the data of a page.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "report/page/grid.hpp"
#include "report/precision.hpp"
#include "report/shown_code.hpp"

namespace evname::tools {
namespace {

using FunctionCode = InstructionReport::Code;

// Of a recording.
constexpr std::size_t kMostFunctions = 100, kMostInstructions = 30'000;

/// Returns "/src/a.c:12", as lines of a page are called; "" if it is unknown.
std::string place_text(const InstructionReport::Instruction& one) {
  if (one.frames.empty() || one.frames[0].source.empty()) return {};
  return fmt::format("{}:{}", one.frames[0].source, one.frames[0].line);
}

/// Makes the rows of a function from its code. Returns the row of each instruction, from 1.
std::vector<std::uint32_t> add_rows(const FunctionCode& code, PageFunction& to) {
  const std::vector<bool> shown = shown_instructions(code);
  std::vector<std::uint32_t> rows(shown.size());
  std::uint32_t folded = 0;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (!shown[i]) {
      ++folded;
      continue;
    }
    const InstructionReport::Instruction& one = code.instructions[i];
    std::string text = one.text.empty() ? "(unknown)" : one.text;
    if (!one.symbol.empty()) text += fmt::format(" <{}>", one.symbol);
    to.rows.push_back({one.address, std::move(text), 0, place_text(one), inlined_text(one, "\n"),
                       std::exchange(folded, 0), one.executed, one.branches, one.ipc});
    rows[i] = static_cast<std::uint32_t>(to.rows.size());
  }
  to.folded = folded;
  for (std::size_t i = 0; i < shown.size(); ++i)
    if (const InstructionReport::Instruction& one = code.instructions[i];
        rows[i] > 0 && jumps_within(code, one))
      to.rows[rows[i] - 1].target = rows[*code.find(*one.target)];
  return rows;
}

/// A cell of a function, by row instead of place.
struct RowCell {
  std::uint32_t track, row, bin;
  std::uint64_t samples, period;
  auto key() const { return std::pair(std::uint64_t{track} << 32 | row, bin); }
};

using RowCells = std::vector<RowCell>;  ///< of a function, by key

/// Merges neighbours with the same key.
void merge(RowCells& cells) {
  std::size_t kept = 0;
  for (const RowCell& one : cells) {
    if (kept > 0 && cells[kept - 1].key() == one.key())
      cells[kept - 1].samples += one.samples, cells[kept - 1].period += one.period;
    else
      cells[kept++] = one;
  }
  cells.resize(kept);
}

/// Returns the cells of each of a page's functions.
std::vector<RowCells> cells_of(const PageInstructions& page, const report::SampleGrid& grid) {
  std::vector<RowCells> of_function(page.functions.size());
  for (const report::SampleGrid::Cell& one : grid.spots)
    if (const auto [function, row] = page.places[one.node]; function < of_function.size())
      of_function[function].push_back({one.track, row, one.bin, one.samples, one.period});
  for (RowCells& cells : of_function) {
    std::ranges::sort(cells, {}, &RowCell::key);
    merge(cells);
  }
  return of_function;
}

/// Makes bins twice as wide until there is room for all cells of the first functions, or one bin is
/// left. Returns how often.
unsigned widen(std::span<RowCells> cells, std::size_t first, std::size_t room) {
  const auto size = [&] {
    std::size_t sum = 0;
    for (const RowCells& one : cells.first(std::min(first, cells.size()))) sum += one.size();
    return sum;
  };
  unsigned wider = 0;
  for (; size() > room && wider < 16; ++wider)
    for (RowCells& one : cells) {
      for (RowCell& cell : one) cell.bin = (cell.bin + 1) / 2;
      merge(one);
    }
  return wider;
}

/// Writes functions, as unpackInstructions() of data.js reads them.
class InstructionsWriter {
 public:
  InstructionsWriter(PageJson& json, const PageInstructions& page, const report::SampleGrid& grid,
                     std::size_t events, const PageTexts& texts, LineCounts& lines)
      : json_(json),
        page_(page),
        grid_(grid),
        each_(equal_periods(grid, events)),
        texts_(texts),
        lines_(lines) {}

  /// Writes as many functions as there is room for, with bins so wide that it's ten.
  void write(std::size_t room) {
    constexpr std::size_t kFirst = 10, kBytesOfCell = 6;
    std::vector<RowCells> cells = cells_of(page_, grid_);
    const unsigned wider = widen(cells, kFirst, room / 2 / kBytesOfCell);
    json_.key("width").number(grid_.spot_width << wider);
    json_.key("functions").begin_array();
    std::size_t left_out = page_.left_out;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::size_t size = page_.functions[i].size() + cells[i].size() * kBytesOfCell;
      if (size <= room)
        write(page_.functions[i], cells[i]);
      else
        ++left_out;
      room -= std::min(room, size);
    }
    json_.end_array();
    json_.key("more").number(left_out);
  }

 private:
  void write(const PageFunction& function, const RowCells& cells) {
    json_.begin_object();
    json_.key("name").number(texts_.find(function.name));
    json_.key("dso").number(texts_.find(function.dso));
    json_.key("build_id").text(function.build_id);
    json_.key("problem").text(function.problem);
    json_.key("start").text(fmt::format("{:x}", function.start));
    json_.key("folded").number(function.folded);
    json_.key("text").each(function.rows,
                           [&](const PageFunction::Row& row) { json_.text(row.text); });
    write_packed(json_, "rows", [&](PackedNumbers& out) { add_rows(function, out); });
    if (std::ranges::any_of(function.rows, [](const PageFunction::Row& row) {
          return row.executed > 0 || row.branches.predicted + row.branches.mispredicted > 0;
        }))
      write_packed(json_, "runs", [&](PackedNumbers& out) { add_runs(function, out); });
    write_packed(json_, "cells", [&](PackedNumbers& out) { add_cells(cells, out); });
    json_.end_object();
  }
  /// Writes each row's distance from the one before, its folded instructions, target and texts.
  void add_rows(const PageFunction& function, PackedNumbers& out) {
    std::uint64_t address = function.start;
    std::string_view place, inlined;
    for (const PageFunction::Row& row : function.rows) {
      out.add(row.address - std::exchange(address, row.address));
      if (!row.place.empty()) lines_.emplace_back(row.place, 0);
      out.add(row.folded);
      out.add(row.target);
      add_text(row.place, place, out);
      add_text(row.inlined, inlined, out);
    }
  }
  /// Writes what branch stacks tell of each row.
  static void add_runs(const PageFunction& function, PackedNumbers& out) {
    for (const PageFunction::Row& row : function.rows) {
      const Report::Branches& sums = row.branches;
      for (const std::uint64_t number :
           {row.executed, sums.predicted, sums.mispredicted, sums.timed, sums.cycles,
            static_cast<std::uint64_t>(std::min(row.ipc, 1e6) * 100 + 0.5)})
        out.add(number);
    }
  }
  /// 0: the same as before; 1: none.
  void add_text(std::string_view text, std::string_view& before, PackedNumbers& out) const {
    const bool is_same = std::exchange(before, text) == text;
    out.add(is_same ? 0 : text.empty() ? 1 : texts_.find(text) + std::uint64_t{2});
  }
  void add_cells(const RowCells& cells, PackedNumbers& out) const {
    RowCell before = {};
    for (const RowCell& one : cells) {
      if (one.track != before.track) before.row = before.bin = 0;
      out.add(one.track - before.track);
      if (one.row != before.row) before.bin = 0;
      out.add(one.row - before.row);
      out.add(one.bin - before.bin);
      out.add(one.samples);
      if (!each_[grid_.tracks[one.track].event]) out.add(one.period);
      before = one;
    }
  }

  PageJson& json_;
  const PageInstructions& page_;
  const report::SampleGrid& grid_;
  std::vector<std::optional<std::uint64_t>> each_;
  const PageTexts& texts_;
  LineCounts& lines_;
};

}  // namespace

std::size_t PageFunction::size() const {
  std::size_t size = 200;
  for (const Row& row : rows) size += row.text.size() + 10;
  return size;
}

PageInstructions page_instructions(const report::DetailedReport& report,
                                   std::span<const Recording> files) {
  PageInstructions out;
  out.precision = precision_lines(files, report);
  const auto functions = report.functions();
  const std::vector<report::Spot> spots = report.spots();
  std::vector<std::vector<std::uint32_t>> spots_of;  // by number of function; some lack samples
  for (std::uint32_t i = 0; i < spots.size(); ++i) {
    if (spots[i].function >= spots_of.size()) spots_of.resize(spots[i].function + 1);
    spots_of[spots[i].function].push_back(i);
  }
  out.places.resize(spots.size());
  std::size_t rows = 0;
  for (const InstructionReport::Function& function : functions) {
    if (out.functions.size() == kMostFunctions || rows > kMostInstructions) break;
    const FunctionCode code = report.code(function);
    PageFunction& to = out.functions.emplace_back();
    to.name = function.name, to.dso = function.dso, to.build_id = function.build_id;
    to.start = code.start, to.problem = code.problem;
    const std::vector<std::uint32_t> row_of = add_rows(code, to);
    rows += to.rows.size();
    for (const std::uint32_t spot : spots_of[function.number]) {
      const auto index = code.find(code.start + spots[spot].offset);
      out.places[spot] = {static_cast<std::uint32_t>(out.functions.size() - 1),
                          index ? row_of[*index] : 0};
    }
  }
  out.left_out = functions.size() - out.functions.size();
  return out;
}

void add_texts(const PageInstructions& page, PageTexts& texts) {
  for (const PageFunction& function : page.functions) {
    texts.add(function.name);
    texts.add(function.dso);
    for (const PageFunction::Row& row : function.rows) {
      texts.add(row.place);
      texts.add(row.inlined);
    }
  }
}

void write_instructions(PageJson& json, const PageInstructions& page,
                        const report::SampleGrid& grid, std::size_t events, std::size_t room,
                        const PageTexts& texts, LineCounts& lines) {
  if (page.functions.empty()) return;
  json.key("instructions").begin_object();
  json.key("precision").texts(page.precision);
  InstructionsWriter(json, page, grid, events, texts, lines).write(room);
  json.end_object();
}

}  // namespace evname::tools
