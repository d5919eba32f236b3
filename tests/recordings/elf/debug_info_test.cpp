// Debug information of damaged files.

#include <gtest/gtest.h>
#include <malloc.h>

#include "evname/symbols.hpp"
#include "recordings/elf/elf_file.hpp"
#include "support/bytes_out.hpp"
#include "support/temp_dir.hpp"

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

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

// A line table of DWARF 4: `rows` rows at the same address, of line 1 and 2 by turns, and then one
// of `line` until `end`.
std::string line_table(std::string_view file, std::uint64_t start, std::uint64_t end, int rows,
                       std::uint8_t line) {
  BytesOut head;  // of what follows the length of the header
  head.u8(1).u8(1).u8(1).u8(0xfb).u8(14).u8(13);
  head.raw(std::string_view("\0\1\1\1\1\0\0\0\1\0\0\1\0", 13)).raw(file).u8(0);
  head.raw(std::string_view("\0\0\0\0", 4));  // the end of the file, and of the list
  BytesOut program;
  const auto set_address = [&](std::uint64_t at) { program.u8(0).u8(9).u8(2).u64(at); };
  set_address(start);
  for (int i = 0; i < rows; ++i) program.u8(i % 2 == 0 ? 19 : 17);  // a line on, a line back
  program.u8(3).u8(static_cast<std::uint8_t>(line - (rows % 2 == 0 ? 1 : 2))).u8(1);
  set_address(end);
  program.raw(std::string_view("\0\1\1", 3));
  const auto size = static_cast<std::uint32_t>(2 + 4 + head.size() + program.size());
  BytesOut table;
  table.u32(size).u16(4).u32(static_cast<std::uint32_t>(head.size()));
  return table.raw(head.str()).raw(program.str()).str();
}

// The first unit has more rows than are kept, so the next ones are read by another handle.
TEST_F(DebugInfo, LinesOfUnitsThatHaveMoreRowsThanAreKept) {
  constexpr std::uint64_t kStart = ElfParts::kAddress, kQuarter = ElfParts::kSize / 4;
  constexpr std::uint8_t kLines[] = {11, 22, 33, 44};
  constexpr int kRows[] = {70000, 1, 70001, 2};
  BytesOut info, lines;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::uint64_t start = kStart + i * kQuarter;
    info.u32(28).u16(4).u32(0).u8(8).u8(1).u64(start).u64(kQuarter);
    info.u32(static_cast<std::uint32_t>(lines.size()));
    const std::string file = std::string(1, static_cast<char>('a' + i)) + ".c";
    lines.raw(line_table(file, start, start + kQuarter, kRows[i], kLines[i]));
  }
  // DW_TAG_compile_unit: DW_AT_low_pc, DW_AT_high_pc, DW_AT_stmt_list
  const std::string abbreviation("\1\x11\0\x11\1\x12\7\x10\x17\0\0\0", 12);
  const std::string path =
      dir_.write("program", test::elf_file({.sections = {{".debug_info", info.str()},
                                                         {".debug_abbrev", abbreviation},
                                                         {".debug_line", lines.str()}}}));
  SymbolOptions options;
  options.cache = dir_.path("cache");
  const Symbols symbols(options);
  for (const std::size_t i : {0, 1, 2, 3, 1, 0}) {
    std::vector<Frame> frames;
    symbols.frames(0x10001 + i * kQuarter,
                   {.file = path, .start = 0x10000, .offset = ElfParts::kText}, frames);
    ASSERT_EQ(frames.size(), 1);
    EXPECT_EQ(frames[0].source, std::string(1, static_cast<char>('a' + i)) + ".c");
    EXPECT_EQ(frames[0].line, kLines[i]);
  }
}

struct SectionPacking {
  const char* name;
  std::uint32_t type;  // ELFCOMPRESS_*
  std::string (*pack)(const std::string& content);
};
constexpr SectionPacking kSectionPackings[] = {
#ifdef HAVE_ZLIB
    {"zlib", 1,
     [](const std::string& content) {
       uLongf size = compressBound(content.size());
       std::string out(size, '\0');
       compress(reinterpret_cast<Bytef*>(out.data()), &size,
                reinterpret_cast<const Bytef*>(content.data()), content.size());
       return out.substr(0, size);
     }},
#endif
#ifdef HAVE_ZSTD
    {"zstd", 2,
     [](const std::string& content) {
       std::string out(ZSTD_compressBound(content.size()), '\0');
       return out.substr(0,
                         ZSTD_compress(out.data(), out.size(), content.data(), content.size(), 3));
     }},
#endif
    {"none", 0, [](const std::string& content) { return content; }},
};

// A section says how large it becomes, which may be wrong; what can't be unpacked is no debug
// information.
TEST_F(DebugInfo, PackedSections) {
  BytesOut info;
  info.u32(28).u16(4).u32(0).u8(8).u8(1).u64(ElfParts::kAddress).u64(ElfParts::kSize).u32(0);
  const std::string contents[] = {
      info.str(), std::string("\1\x11\0\x11\1\x12\7\x10\x17\0\0\0", 12),
      line_table("a.c", ElfParts::kAddress, ElfParts::kAddress + ElfParts::kSize, 1, 11)};
  constexpr std::string_view kNames[] = {".debug_info", ".debug_abbrev", ".debug_line"};
  const struct {
    const char* what;
    std::size_t cut, said;  // bytes of each section that are missing, or that it says it has more
    std::uint32_t line;
  } cases[] = {{"whole", 0, 0, 11}, {"cut", 1, 0, 0}, {"too short", 0, 1, 0}};
  for (const SectionPacking& packing : kSectionPackings)
    for (const auto& c : cases) {
      if (packing.type == 0 && c.line == 0) continue;
      ElfParts parts;
      for (std::size_t i = 0; i < 3; ++i) {
        std::string packed = packing.pack(contents[i]);
        packed.resize(packed.size() - c.cut);
        const Elf64_Chdr header{packing.type, 0, contents[i].size() + c.said, 1};
        if (packing.type != 0) packed = test::bytes_of_struct(header) + packed;
        parts.sections.push_back({kNames[i], packed, SHT_PROGBITS, 0, 0,
                                  packing.type != 0 ? std::uint64_t{SHF_COMPRESSED} : 0});
      }
      const std::string path = dir_.write("program", test::elf_file(parts));
      SymbolOptions options;
      options.cache = dir_.path("cache");
      std::vector<Frame> frames;
      const Symbols symbols(options);
      symbols.frames(0x10001, {.file = path, .start = 0x10000, .offset = ElfParts::kText}, frames);
      ASSERT_EQ(frames.size(), 1) << packing.name << c.what;
      EXPECT_EQ(frames[0].function, "first_function") << packing.name << c.what;
      EXPECT_EQ(frames[0].line, c.line) << packing.name << c.what;
    }
}

}  // namespace
}  // namespace evname
