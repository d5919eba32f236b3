// The parts of profiles for compilers that no recording shows: the map of counts, and the headers
// of files that are cut anywhere.

#include <gtest/gtest.h>

#include <ctime>
#include <map>
#include <tuple>

#include "base/read_file.hpp"
#include "base/text.hpp"
#include "recordings/profiles/branch_profile.hpp"
#include "recordings/profiles/target_binary.hpp"
#include "support/bytes_out.hpp"

namespace evname::test {
namespace {

using namespace profiles;

TEST(BranchCounts, AreInTheOrderOfTheirKeys) {
  BranchCounts counts;
  std::map<std::tuple<profiles::Counted, std::uint32_t, std::uint32_t, std::uint32_t>,
           std::uint64_t>
      expected;
  for (std::uint32_t i = 0; i < 30'000; ++i) {
    const profiles::Counted counted =
        i % 11 == 0 ? profiles::Counted::branch : profiles::Counted::trace;
    const std::uint32_t first = i % 977 * 64, second = i % 89, third = i % 7;
    counts[{counted, first, second, third}] += i % 5 + 1;
    expected[{counted, first, second, third}] += i % 5 + 1;
  }
  const auto all = sorted(counts);
  ASSERT_EQ(all.size(), expected.size());
  auto at = expected.begin();
  for (const auto& [key, count] : all) {
    EXPECT_EQ(key.key(), at->first);
    EXPECT_EQ(count, at->second);
    ++at;
  }
}

/// A header, and program headers: type, flags, offset, address, size. Big-endian, 32 bits wide.
std::string narrow_elf(const std::vector<std::array<std::uint32_t, 5>>& segments) {
  BytesOut out(std::endian::big);
  out.raw(std::string("\x7f"
                      "ELF\1\2\1",
                      7))
      .pad(9)
      .u16(2)
      .u16(20)
      .u32(1)
      .u32(0x1000)
      .u32(52);
  out.u32(0).u32(0).u16(52).u16(32).u16(static_cast<std::uint16_t>(segments.size())).u16(40).u16(0);
  out.u16(0);
  for (const auto& [type, flags, offset, address, size] : segments)
    out.u32(type).u32(offset).u32(address).u32(address).u32(size).u32(size).u32(flags).u32(4096);
  return out.str();
}

TEST(TargetBinary, ReadsNarrowFilesOfTheOtherByteOrder) {
  const std::string file = narrow_elf({{1, 5, 0x1000, 0x11000, 0x800}, {1, 4, 0, 0x10000, 0x1000}});
  const auto binary = TargetBinary::read(view_of(file), "narrow");
  ASSERT_TRUE(binary) << binary.error().text();
  EXPECT_EQ(binary->kind, BinaryKind::fixed);
  EXPECT_EQ(binary->code_begin(), 0x11000u);
  EXPECT_EQ(binary->code_end(), 0x11800u);
  EXPECT_EQ(binary->offset_of(0x11010), 0x1010u);
  ASSERT_NE(binary->segment_at(0x1000), nullptr);
  EXPECT_EQ(binary->segment_at(0x1000)->address, 0x11000u);
  EXPECT_EQ(binary->segment_at(0), nullptr) << "no code there";
  EXPECT_EQ(binary->segment_at(0x1800), nullptr);
}

TEST(TargetBinary, IsRefusedWhereverItIsCut) {
  const std::string file = narrow_elf({{1, 5, 0x1000, 0x11000, 0x800}});
  for (std::size_t size = 0; size < file.size(); ++size)
    EXPECT_FALSE(TargetBinary::read(view_of(file).first(size), "cut")) << size;
  EXPECT_TRUE(TargetBinary::read(view_of(file), "whole"));
}

/// The header of a library of x86-64, which one program header follows.
BytesOut wide_header(std::uint64_t sections_at, std::uint16_t sections) {
  const std::string ident(
      "\x7f"
      "ELF\2\1\1",
      7);
  BytesOut out;
  out.raw(ident).pad(9).u16(3).u16(62).u32(1).u64(0).u64(64).u64(sections_at);
  out.u32(0).u16(64).u16(56).u16(1).u16(64).u16(sections).u16(0);
  return out;
}

TEST(TargetBinary, MayHaveNoMoreCodeThanPlacesCanSay) {
  BytesOut out = wide_header(0, 0);
  out.u32(1).u32(5).u64(0).u64(0).u64(0).u64(std::uint64_t{1} << 32).u64(0).u64(4096);
  const auto binary = TargetBinary::read(out.view(), "large");
  ASSERT_FALSE(binary);
  EXPECT_EQ(binary.error().code, Errc::unsupported);
}

/// Program headers of notes, which are behind them: `places` of offset and size.
std::string noted_elf(const std::vector<std::array<std::uint32_t, 2>>& places,
                      const std::string& notes) {
  std::vector<std::array<std::uint32_t, 5>> segments = {{1, 5, 0x1000, 0x11000, 0x800}};
  const auto begin = static_cast<std::uint32_t>(52 + 32 * (places.size() + 1));
  for (const auto& [offset, size] : places) segments.push_back({4, 4, begin + offset, 0, size});
  return narrow_elf(segments) + notes;
}

// Notes are what PT_NOTE of elf(5) has: sizes of name and content, type, both filled to 4 bytes.
TEST(TargetBinary, NotesAreNotReadAgainAndAgain) {
  const auto note = [](std::uint32_t type, const std::string& content) {
    return BytesOut(std::endian::big)
        .u32(4)
        .u32(static_cast<std::uint32_t>(content.size()))
        .u32(type)
        .raw(std::string("GNU\0", 4) + content)
        .str();
  };
  const std::string notes = note(1, std::string(2000, 'x')) + note(3, "12345678");
  const auto size = static_cast<std::uint32_t>(notes.size()), last = size - 24;
  const auto id_of = [&](const std::vector<std::array<std::uint32_t, 2>>& places) {
    return TargetBinary::read(view_of(noted_elf(places, notes)), "notes").value().build_id;
  };
  const std::vector<std::uint8_t> id = {'1', '2', '3', '4', '5', '6', '7', '8'};
  EXPECT_EQ(id_of({{0, last}, {last, 24}}), id);
  EXPECT_EQ(id_of({{0, last}, {0, size}}), std::vector<std::uint8_t>());
}

// 60,000 names that end with the same 4 MB.
TEST(TargetBinary, NamesOfSectionsAreNotReadToTheirEnd) {
  constexpr std::uint16_t kSections = 60'000;
  constexpr std::uint64_t kNames = 64 + 56, kSize = 1 << 22;
  BytesOut out = wide_header(kNames + kSize, kSections);
  out.u32(1).u32(5).u64(0).u64(0x1000).u64(0).u64(0x800).u64(0).u64(4096);
  out.raw(std::string(kSize, 'x'));
  for (unsigned i = 0; i < kSections; ++i)
    out.u32(0).u32(3).u64(4).u64(0).u64(kNames).u64(kSize).pad(24);
  const std::clock_t start = std::clock();
  EXPECT_TRUE(TargetBinary::read(out.view(), "names"));
  EXPECT_LT((std::clock() - start) / CLOCKS_PER_SEC, 3);
}

TEST(TargetBinary, BuildIdsMayBeFilledWithZeros) {
  const std::uint8_t id[] = {1, 2, 3}, filled[] = {1, 2, 3, 0, 0}, other[] = {1, 2, 3, 4};
  EXPECT_TRUE(is_same_build_id(id, filled));
  EXPECT_TRUE(is_same_build_id(filled, id));
  EXPECT_FALSE(is_same_build_id(id, other));
  EXPECT_FALSE(is_same_build_id({}, {}));
}

// Instructions of libc, libm, libstdc++ and libzstd as objdump takes them apart, of many opcodes
// and lengths, without those that lead away: code that ends with one runs through it, and is cut
// off without its last byte.
TEST(Instructions, EndWhereObjdumpEndsThem) {
  constexpr std::string_view kInstructions =
      "67a100000000 01db 0302 11c0 21c6 2316 2b07 39c3 4151 4898 4899 8707 8a0e a801 d0eb d8c0 "
      "dce9 f6d8 "
      "034f18 0f1006 0f2fc8 0f4cea 0f4ff1 0f56c2 0f9fc0 0fb613 337804 3b7a30 4008f8 4018ff "
      "4084ff 410b16 418806 41ffc1 440320 4511eb 4585e4 480b02 4887f7 663b03 6685f6 874500 "
      "d80c24 d93424 dd3c24 f348a5 f77108 08542427 094c2414 0b442430 0f134500 0f38f007 0fbd14c6 "
      "0fbe1411 305407ff 400f97c7 400f98c7 410f2808 410f4fd2 410f93c4 410f9cc1 410f9ec6 410f9fc0 "
      "410fb737 410fbdc5 41233492 41394710 4183e402 41874500 438a1c01 440f4ce0 440f50e3 450fafc5 "
      "4c0f47e0 4c0fadd0 4d013c24 660d0804 660f28d8 660f66cc 660f6ac0 660f76d0 660fded8 660fefc0 "
      "660ffec1 66c1c008 6b04243c c5eddbe9 c5f155c4 c5f54bc0 c5f82ec2 c5f82fc2 c5f915e0 c5f92ec8 "
      "c5f957c0 c5f96ec6 c5f9efc0 c5fb12e3 c5fb93c0 c5fc2820 c5fd7f0f c5fde707 d84424f4 f20f51c9 "
      "f20f58c8 f20f5cd1 f30f1efa f30fbdc9 ff742450 0f294c2460 0f44542454 0f557c2430 0f94442460 "
      "0f95442414 0fae5c242c 0fb67416fe 0fbe442408 410fbe4518 410fc6cd88 44016c2408 4429742428 "
      "44894c2448 480faf1cc8 480fbaf13f 482b442440 488d7c2420 660f2f3424 660f744f30 660fc5f800 "
      "660fe74f10 66410f76e8 66413b5704 6641c1c408 66440f50e0 66440f56d8 66440fd7c9 66440ffcc1 "
      "66450fefc9 66837e0e00 6834000000 a90000807f b80e000000 bb03000000 bd10000000 c44101efff "
      "c4412310f3 c4414955c9 c4417dfcc2 c4c15b58c0 c4c1792fcc c4c17e7f00 c4e1f44bc0 c4e1f545c0 "
      "c4e1f898c0 c4e242f7c0 c4e243f7c9 c4e2e19bf5 c4e2f198c4 c4e2f1bdc4 c5f3c2c001 c5f3c2ca05 "
      "c5f8ae1c24 c5f96e0417 c5fb5804c1 f20f1104c3 f20f5c4108 f2410f1006 f2410f1109 f2440f5cc6 "
      "f30f5a4004 f30f7f0c0f f3410f5a08 038dc4feffff 2b8dc0feffff 398d78ffffff 410fb7442404 "
      "41b905000000 41bd07000000 41c644240801 430fbe440500 480d00000004 480f424c2470 "
      "480fbd44d0f8 62017520f8dd 62a10525fcc9 62b25d2026cc 62b2752027d1 62d165497433 "
      "6448837d0000 660f1f440000 660f6e4c2420 660f6f442450 664181f9ff07 6641837d0400 "
      "66430b5c2809 66c747080000 870514ea1a00 8d900028ffff c4a17b100cd9 c4a17d760c0e "
      "c4a2f9a90cd9 c4e2e19d24f9 c4e2f19904f1 c4e2f9985940 c4e3714be300 c4e3f96ac210 "
      "c5f8ae5c2404 c5fb11642418 c5fd6f540e20 c5fd764c06e0 d90565731500 f2410f584500 "
      "f30f7e442418 0f10a600100000 0f450598730100 0fbf15847a1400 298424b0000000 398424c0020000 "
      "4169d4f00f0000 44888530ffffff 480185e0feffff 482b85a0fbffff 48339330020000 48392da6ea1a00 "
      "48d1a558f9ffff 49098690000000 4c63a5d8feffff 62b375201fc200 62e1fd287f5701 62f17c48295701 "
      "62f3652825e2fe 803d60ae1b0000 833d81ea1a0000 8b042500000000 c4e2c2f77c24a0 f2410f5844d500 "
      "0f16842480000000 0f17bc2490000000 0f29042500000000 0f95842410020000 0fb7847800010000 "
      "4123842484000000 41c6851206000001 440f2e259f8c0000 440fb68530ffffff 440fbe8570ffffff "
      "44696f08e8030000 448b8c24a8000000 4c0f44b558ffffff 4e8d24a503010000 62e37520256703de "
      "62f36d201f4f0104 62f37d203f470100 648b142508030000 64c7450016000000 660f6e9d10f9ffff "
      "660fe7a700100000 660ffe055ede0900 6641898d80000000 6944243040420f00 c5f8570592180100 "
      "c5f92805e5ad0300 c5f9540d506e0100 c5fd748f81000000 c5fd768f81000000 c5fe6fa600100000 "
      "440fb7a424d2000000 480f428c2498000000 480fbd84c470020000 644803042500000000 "
      "660f6e8c24f0000000 66410f6e8634060000 6644899c2494000000 c4e2d9ad0d5df90100 "
      "c4e2f19d0583af0300 c4e2f9bd3d7e4b0200 48bf020000000f000000 49bc0921841042082184 "
      "62e17d28e7a700100000 f785d4f9ffff00210000 41c787c0000000ffffffff 4881bd60ffffff00100000 ";
  for (const std::string_view hex : split(kInstructions, ' ')) {
    std::vector<std::uint8_t> code;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
      code.push_back(
          static_cast<std::uint8_t>(*parse_number("0x" + std::string(hex.substr(i, 2)))));
    if (code.empty()) continue;
    EXPECT_TRUE(runs_through(code, CodeMachine::x86_64)) << hex;
    code.push_back(0xc3);  // ret
    EXPECT_FALSE(runs_through(code, CodeMachine::x86_64)) << hex;
    code.resize(code.size() - 2);
    EXPECT_EQ(runs_through(code, CodeMachine::x86_64), code.empty()) << hex << " cut off";
  }
}

}  // namespace
}  // namespace evname::test
