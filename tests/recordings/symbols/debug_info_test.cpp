// Debug information of damaged files.

#include <gtest/gtest.h>
#include <malloc.h>

#include "evname/symbols.hpp"
#include "recordings/symbols/elf_file.hpp"
#include "support/bytes_out.hpp"
#include "support/temp_dir.hpp"

namespace evname {
namespace {

using test::BytesOut;
using test::ElfParts;

// A unit of DWARF 4 and what is in it: a function of both symbols' addresses, its blocks, and
// functions that have a list of ranges.
constexpr std::string_view kAbbreviations(
    "\1\x11\1\x11\1\x12\7\0\0"  // DW_TAG_compile_unit: DW_AT_low_pc, DW_AT_high_pc
    "\2\x2e\1\x11\1\x12\7\0\0"  // DW_TAG_subprogram: the same
    "\3\x0b\1\1\x13\0\0"        // DW_TAG_lexical_block: DW_AT_sibling
    "\4\x2e\0\x55\x17\0\0",     // DW_TAG_subprogram: DW_AT_ranges
    33);
constexpr std::uint32_t kHeader = 11,
                        kFunction = 17;  // bytes of the unit's header, of DIEs 1 and 2

std::string unit(const std::string& inside) {
  BytesOut dies;
  dies.u8(1).u64(ElfParts::kAddress).u64(ElfParts::kSize);
  dies.u8(2).u64(ElfParts::kAddress).u64(ElfParts::kSize).raw(inside).pad(128);
  const auto size = static_cast<std::uint32_t>(dies.size() + 7);
  return BytesOut().u32(size).u16(4).u32(0).u8(8).raw(dies.str()).str();
}

class DebugInfo : public testing::Test {
 protected:
  void SetUp() override {
    if (!Symbols::reads_elf()) GTEST_SKIP() << "this build has no elfutils";
  }
  std::vector<Frame> frames(const std::string& info, const std::string& ranges) {
    const std::string path = dir_.write(
        "program", test::elf_file({.sections = {{".debug_info", info},
                                                {".debug_abbrev", std::string(kAbbreviations)},
                                                {".debug_ranges", ranges}}}));
    SymbolOptions options;
    options.cache = dir_.path("cache");
    symbols_ = std::make_unique<Symbols>(options);
    std::vector<Frame> frames;
    symbols_->frames(0x10001, {.file = path, .start = 0x10000, .offset = ElfParts::kText}, frames);
    return frames;
  }

  test::TempDir dir_;
  std::unique_ptr<Symbols> symbols_;
};

// Each block names the one inside of it as the next one: there are 2^64 ways through them.
TEST_F(DebugInfo, BlocksThatAreTheirOwnSiblings) {
  BytesOut blocks;
  for (std::uint32_t i = 0; i < 64; ++i) blocks.u8(3).u32(kHeader + 2 * kFunction + 5 * (i + 1));
  const std::vector<Frame> found = frames(unit(blocks.str()), "");
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].function, "first_function");
  EXPECT_TRUE(found[0].has_debug_info);
}

// A file of 400 KB, which would become 4 million functions.
TEST_F(DebugInfo, AListOfRangesThatManyFunctionsShare) {
  BytesOut functions, ranges;
  for (int i = 0; i < 200; ++i) functions.u8(4).u32(0);
  for (int i = 0; i < 20000; ++i) ranges.u64(1).u64(2);
  ranges.u64(0).u64(0);
  const std::size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
  const std::vector<Frame> found = frames(unit(functions.str()), ranges.str());
  EXPECT_LT(mallinfo2().uordblks + mallinfo2().hblkhd, before + (std::size_t{64} << 20));
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].function, "first_function");
}

}  // namespace
}  // namespace evname
