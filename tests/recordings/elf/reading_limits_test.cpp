// How much time and memory debug information may take: what is left of the budget of all files, and
// what the size of the file allows.

#include <gtest/gtest.h>

#include "recordings/elf/debug_info.hpp"
#include "recordings/elf/dwarf.hpp"
#include "support/temp_dir.hpp"

namespace evname::elf::reading_limits_test {
namespace {

using namespace test;

/// A call that is inlined into a function, with lines.
Units units() {
  Die unit = ranged(DW_TAG_compile_unit, 0, 0x80, {offset_at(DW_AT_stmt_list, 0)});
  unit.children = {
      {DW_TAG_subprogram, {text_at(DW_AT_name, "inner")}, {}, "inner"},
      ranged(DW_TAG_subprogram, 0, 0x80, {},
             {ranged(DW_TAG_inlined_subroutine, 0, 0x80,
                     {reference_at(DW_AT_abstract_origin, "inner"), number_at(DW_AT_call_file, 1),
                      number_at(DW_AT_call_line, 7)})})};
  return Units().add(unit);
}

class ReadingLimitsTest : public testing::Test {
 protected:
  SymbolSearch search_of(const SymbolOptions& options) {
    const auto ignore = [](const std::string&) {};
    return {.options = options,
            .budget = budget_,
            .name = "program",
            .tell = ignore,
            .problem = ignore,
            .warning = ignore,
            .used = ignore,
            .by_path = ignore};
  }
  std::string frames(const Units& units,
                     const LineTable& lines = {
                         .files = {{"a.c"}},
                         .rows = {{ElfParts::kAddress, 1, 1},
                                  {ElfParts::kAddress + 0x80, 1, LineTable::kEnd}}}) {
    const auto path =
        dir_.write("program", elf_file({.sections = {{".debug_info", units.info()},
                                                     {".debug_abbrev", units.abbreviations()},
                                                     {".debug_line", lines.str()}}}));
    const SymbolOptions options;
    const SymbolSearch search = search_of(options);
    const auto image = ElfImage::open(path, budget_);
    const auto info = DebugInfo::of(*image, search);
    std::vector<Frame> found;
    std::string out;
    for (int i = 0; i < 2; ++i) {
      info->frames(ElfParts::kAddress, {.function = "outer"}, {true, true}, found);
      for (const Frame& frame : found)
        out += std::string(frame.function) + "@" + std::string(frame.source) + ":" +
               std::to_string(frame.line) + " ";
    }
    return out;
  }
  static constexpr const char* kWhole = "inner@a.c:1 outer@a.c:7 inner@a.c:1 outer@a.c:7 ";
  static constexpr const char* kLeftOut = "outer@:0 outer@:0 ";
  const std::vector<std::string> kReport = {
      "program: debug information becomes too large, or takes too long, to be read: it is left "
      "out"};

  TempDir dir_;
  std::vector<std::string> told_;
  static std::int64_t next_ms() {
    ticks_ += 1'000'000;
    return ticks_;
  }
  static inline std::int64_t ticks_ = 0;
  Budget budget_{[this](const std::string& message) { told_.push_back(message); }, next_ms};
};

TEST_F(ReadingLimitsTest, NothingIsLeftOutOfASmallFile) {
  EXPECT_EQ(frames(units()), kWhole);
  EXPECT_TRUE(budget_.take(Budget::kBytes, 0, "others"));  // the file's own room is enough
  EXPECT_EQ(frames(units()), kWhole);
  EXPECT_TRUE(told_.empty());
}

// The test's clock ticks each time it is asked: once for each DIE, and when reading begins and
// ends. So the DIEs take 0.5 to 0.6 s of the 10 s that a small file has, or of the rest of all
// files' time.
TEST_F(ReadingLimitsTest, WithoutTimeSmallFilesAreLeftOut) {
  Die unit{DW_TAG_compile_unit};
  unit.children.assign(500, {DW_TAG_base_type});
  unit.children.push_back(ranged(DW_TAG_subprogram, 0x80, 0x90));
  unit.attributes = ranged(DW_TAG_compile_unit, 0, 0x90).attributes;
  const Units slow = Units().add(unit);
  const std::string kWholeUnit = "outer@:0 outer@:0 ";
  EXPECT_EQ(frames(slow), kWholeUnit);
  EXPECT_TRUE(budget_.take_time(Budget::kTime - std::chrono::milliseconds(600), "others"));
  EXPECT_EQ(frames(slow), kWholeUnit);
  EXPECT_TRUE(told_.empty());
  EXPECT_TRUE(budget_.take_time(std::chrono::milliseconds(101), "others"));
  EXPECT_EQ(frames(slow), kLeftOut);
  EXPECT_EQ(told_, kReport);
  EXPECT_EQ(budget_.time_left(), 0);  // the file takes as much as one may
}

TEST_F(ReadingLimitsTest, AFileHasTenSeconds) {
  Die unit = ranged(DW_TAG_compile_unit, 0, 0x80);
  unit.children.assign(9'900, {DW_TAG_base_type});
  EXPECT_EQ(frames(Units().add(unit)), kLeftOut);
  EXPECT_TRUE(told_.empty());
  unit.children.resize(10'000);
  EXPECT_EQ(frames(Units().add(unit)), kLeftOut);
  EXPECT_EQ(told_, kReport);
  EXPECT_EQ(budget_.time_left(), 50'000'000'000);
}

// Searching what is read counts, too: an address takes 2 ms.
TEST_F(ReadingLimitsTest, SearchingScopesTakesTime) {
  const auto path =
      dir_.write("program", elf_file({.sections = {{".debug_info", units().info()},
                                                   {".debug_abbrev", units().abbreviations()}}}));
  const SymbolOptions options;
  const SymbolSearch search = search_of(options);
  const auto image = ElfImage::open(path, budget_);
  ASSERT_TRUE(budget_.take_time(Budget::kTime - std::chrono::milliseconds(300), "others"));
  const auto info = DebugInfo::of(*image, search);
  std::vector<Frame> found;
  int addresses = 0;
  for (; addresses < 1000 && told_.empty(); ++addresses)
    info->frames(ElfParts::kAddress, {.function = "outer"}, {true, false}, found);
  EXPECT_EQ(told_, kReport);
  EXPECT_GE(addresses, 140);
  EXPECT_LE(addresses, 150);
  EXPECT_EQ(found.size(), 1u);
}

// A byte of a line program makes a row, which takes 100 bytes in memory; the file's free room is 20
// times its size.
TEST_F(ReadingLimitsTest, LinesThatBecomeTooManyAreLeftOut) {
  LineTable lines{.files = {{"a.c"}}, .rows = {}};
  for (std::uint64_t i = 0; i < 2000; ++i)
    lines.rows.push_back({ElfParts::kAddress + i / 32, 1, 1 + static_cast<int>(i % 2)});
  lines.rows.push_back({ElfParts::kAddress + 0x80, 1, LineTable::kEnd});
  EXPECT_NE(frames(units(), lines), kLeftOut);
  EXPECT_TRUE(told_.empty());
  EXPECT_TRUE(budget_.take(Budget::kBytes, 0, "others"));
  EXPECT_EQ(frames(units(), lines), kLeftOut);
  EXPECT_EQ(told_, kReport);
}

// A unit takes 1,400 bytes in memory, and some 20 in the file.
TEST_F(ReadingLimitsTest, UnitsThatAreTooManyAreLeftOut) {
  Units many = units();
  for (int i = 0; i < 2000; ++i) many.add({DW_TAG_compile_unit});
  EXPECT_EQ(frames(many), kWhole);
  EXPECT_TRUE(told_.empty());
  EXPECT_TRUE(budget_.take(budget_.room(0), 0, "others"));
  EXPECT_EQ(frames(many), kLeftOut);
  EXPECT_EQ(told_, kReport);
}

}  // namespace
}  // namespace evname::elf::reading_limits_test
