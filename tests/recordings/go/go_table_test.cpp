// Go's tables of functions in each layout, whole and damaged. command/go_test.py compares the
// tables of the installed Go with debug/gosym.

#include "recordings/go/go_table.hpp"

#include <gtest/gtest.h>

#include "recordings/elf/elf_fixture.hpp"
#include "recordings/go/go_program.hpp"

namespace evname::go {
namespace {

using test::bytes_of;
using test::ElfParts;
using test::GoProgram;

/// "function file:line" of each call at an address, innermost first.
std::string calls_at(GoTable& table, std::uint64_t address) {
  std::string out;
  for (const GoTable::Call& call : table.calls(address, true))
    out += std::string(call.function) + ' ' + std::string(call.file) + ':' +
           std::to_string(call.line) + ' ';
  return out;
}

std::vector<GoProgram> all_programs() {
  std::vector<GoProgram> all;
  for (const auto layout : {GoTable::Layout::go1_2, GoTable::Layout::go1_16,
                            GoTable::Layout::go1_18, GoTable::Layout::go1_20})
    for (const std::endian order : {std::endian::little, std::endian::big})
      for (const unsigned pointer : {4U, 8U})
        all.push_back({.layout = layout,
                       .order = order,
                       .pointer = pointer,
                       .quantum = order == std::endian::big ? 4U : 1U});
  return all;
}

TEST(GoTable, FunctionsAndLinesOfEachLayout) {
  for (const GoProgram& program : all_programs()) {
    SCOPED_TRACE(static_cast<int>(program.layout) * 100 + static_cast<int>(program.pointer));
    const std::string content = program.table(), calls = program.inlined_calls();
    auto table = GoTable::read(bytes_of(content));
    ASSERT_TRUE(table);
    ASSERT_EQ(table->size(), 2);
    const std::uint64_t start = program.text;
    EXPECT_EQ(table->text(), program.is_relative() ? start : 0);
    const GoTable::Function work = table->function(0), last = table->function(1);
    EXPECT_STREQ(work.name, "main.work");
    EXPECT_STREQ(last.name, "main.main");
    EXPECT_EQ(std::tuple(work.start, work.end, last.start, last.end),
              std::tuple(start, start + 0x20, start + 0x20, start + 0x40));
    table->set_inlined_calls(bytes_of(calls));
    EXPECT_EQ(calls_at(*table, start), " /src/a.go:7 ");
    EXPECT_EQ(calls_at(*table, start + 0xf),
              program.is_relative() ? "main.outer /src/a.go:7  /src/a.go:7 " : " /src/a.go:7 ");
    EXPECT_EQ(calls_at(*table, start + 0x10),
              program.is_relative() ? "main.inner /src/a.go:4 main.outer /src/a.go:7  /src/a.go:7 "
                                    : " /src/a.go:4 ");
    EXPECT_EQ(calls_at(*table, start + 0x3f), " /src/b.go:900 ");
    EXPECT_EQ(calls_at(*table, start - 1), "");
    EXPECT_EQ(calls_at(*table, start + 0x40), "");
  }
}

// The first layout counts files from 1: src/cmd/link/internal/ld/pcln.go of Go 1.15. In later ones
// a unit may lack a file.
TEST(GoTable, FilesThatAreNone) {
  for (const auto& program : all_programs()) {
    GoProgram without = program;
    without.file = 0;
    const std::string content = without.table();
    auto table = GoTable::read(bytes_of(content));
    ASSERT_TRUE(table);
    EXPECT_EQ(calls_at(*table, program.text), " :7 ");
    EXPECT_EQ(calls_at(*table, program.text + 0x3f), " /src/b.go:900 ");
  }
}

TEST(GoTable, HeadersOfOtherThings) {
  const std::string content = GoProgram{}.table();
  EXPECT_FALSE(GoTable::read({}));
  for (const auto& [place, byte] :
       {std::pair(0, 0xfd), {3, 0xfe}, {4, 1}, {5, 1}, {6, 3}, {7, 5}, {8, 0}, {15, 0x7f}}) {
    std::string damaged = content;
    damaged[static_cast<std::size_t>(place)] = static_cast<char>(byte);
    EXPECT_FALSE(GoTable::read(bytes_of(damaged))) << place;
  }
}

// A part that is cut off is not read, and nothing else takes its place.
TEST(GoTable, CutTables) {
  for (const GoProgram& program : all_programs()) {
    const std::string whole = program.table();
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const std::string content = whole.substr(0, size);
      auto table = GoTable::read(bytes_of(content));
      if (!table) continue;
      const char* const name = table->function(0).name;
      EXPECT_TRUE(!name || std::string_view(name) == "main.work") << size;
      for (const GoTable::Call& call : table->calls(program.text, true))
        EXPECT_TRUE(call.file.empty() || call.file == "/src/a.go") << size;
    }
  }
}

class GoPrograms : public test::ElfFiles {};

// Go's own linker has the table in a section of its own, GNU ld may put it among other data.
TEST_F(GoPrograms, HaveFramesWithoutSymbols) {
  using test::kStart;
  using Place = GoProgram::Place;
  for (GoProgram program : all_programs())
    for (const Place place : {Place::fixed, Place::relocated, Place::among_data}) {
      SCOPED_TRACE(static_cast<int>(program.layout) * 10 + static_cast<int>(place));
      program.place = place;
      const std::string path = dir_.write("program", program.program());
      const Symbols symbols(options());
      std::vector<Frame> frames;
      symbols.frames(kStart + 0x10, mapping(path), frames);
      const bool has_calls = program.is_relative();
      ASSERT_EQ(frames.size(), has_calls ? 3 : 1);
      EXPECT_EQ(frames.back().function, "main.work");
      EXPECT_EQ(frames.back().offset, 0x10);
      EXPECT_EQ(frames.back().address, ElfParts::kAddress + 0x10);
      EXPECT_EQ(frames.back().source, "/src/a.go");
      EXPECT_EQ(frames.back().line, has_calls ? 7 : 4);
      EXPECT_FALSE(frames.back().inlined);
      for (const Frame& frame : frames) EXPECT_TRUE(frame.has_debug_info);
      if (has_calls) {
        EXPECT_EQ(frames[0].function, "main.inner");
        EXPECT_EQ(frames[1].function, "main.outer");
        EXPECT_TRUE(frames[0].inlined && frames[1].inlined);
        EXPECT_EQ(frames[0].line, 4);
      }
      symbols.frames(kStart + 0x3f, mapping(path), frames);
      EXPECT_EQ(frames[0].function, "main.main");
      EXPECT_EQ(frames[0].source, "/src/b.go");
      symbols.frames(kStart + 0x40, mapping(path), frames);
      EXPECT_EQ(frames[0].function, "");
    }
}

// The debug information of a program with C may lack Go's functions; if it has them, nothing is
// added to it. One line table covers the first function, the other one the second.
TEST_F(GoPrograms, HaveTablesForWhatDebugInformationLacks) {
  using namespace test;
  constexpr std::uint64_t kAddress = ElfParts::kAddress;
  const auto places_with = [&](std::uint64_t start) {
    const LineTable lines{
        .files = {{"dwarf.c"}},
        .rows = {{kAddress + start, 1, 5}, {kAddress + start + 0x20, 1, LineTable::kEnd}}};
    Units units;
    units.add(ranged(DW_TAG_compile_unit, 0, 0x40,
                     {text_at(DW_AT_name, "dwarf.c"), offset_at(DW_AT_stmt_list, 0)}));
    const std::string path =
        dir_.write("program", GoProgram{}.program({{".debug_info", units.info()},
                                                   {".debug_abbrev", units.abbreviations()},
                                                   {".debug_line", lines.str()}}));
    const Symbols symbols(options());
    std::string out;
    for (const std::uint64_t offset : {0x10, 0x3f}) {
      std::vector<Frame> frames;
      symbols.frames(kStart + offset, mapping(path), frames);
      for (const Frame& frame : frames)
        out += std::string(frame.function) + '@' + std::string(frame.source) + ':' +
               std::to_string(frame.line) + ' ';
    }
    return out;
  };
  EXPECT_EQ(places_with(0), "main.work@dwarf.c:5 main.main@/src/b.go:900 ");
  EXPECT_EQ(places_with(0x20), "main.work@:0 main.main@dwarf.c:5 ");
}

// Its functions would be elsewhere.
TEST_F(GoPrograms, AreNotUsedIfTheirCodeIsElsewhere) {
  const std::string path =
      dir_.write("program", GoProgram{.text = ElfParts::kAddress + 0x1000}.program());
  EXPECT_EQ(function(mapping(path), 0x10).function, "");
}

}  // namespace
}  // namespace evname::go
