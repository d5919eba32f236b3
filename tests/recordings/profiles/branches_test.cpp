// The parts of profiles for compilers that no recording shows: the map of counts, and the headers
// of files that are cut anywhere.

#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "base/read_file.hpp"
#include "recordings/profiles/branch_counts.hpp"
#include "recordings/profiles/target_binary.hpp"
#include "support/bytes_out.hpp"

namespace evname::test {
namespace {

using namespace profile;

TEST(BranchCounts, AreThoseOfAnOrderedMapHoweverManyThereAre) {
  BranchCounts counts, others;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint64_t> expected;
  for (std::uint32_t i = 0; i < 30'000; ++i) {
    const std::uint32_t first = i % 977 * 64, second = i % 89, third = i % 7;
    (i % 3 == 0 ? others : counts).add({Counted::trace, first, second, third}, i % 5 + 1);
    expected[{first, second, third}] += i % 5 + 1;
  }
  counts.add(others);
  EXPECT_EQ(counts.size(), expected.size());
  const auto slots = counts.take_sorted();
  ASSERT_EQ(slots.size(), expected.size());
  auto at = expected.begin();
  for (const auto& slot : slots) {
    EXPECT_EQ(std::tuple(slot.key.first, slot.key.second, slot.key.third), at->first);
    EXPECT_EQ(slot.count, at->second);
    ++at;
  }
  EXPECT_EQ(counts.size(), 0u);
  EXPECT_TRUE(counts.take_sorted().empty());
}

TEST(BranchCounts, OfOneKindAreApartFromThoseOfAnother) {
  BranchCounts counts;
  counts.add({Counted::branch, 1, 2}, 3);
  counts.add({Counted::range, 1, 2}, 4);
  const auto slots = counts.take_sorted();
  ASSERT_EQ(slots.size(), 2u);
  EXPECT_EQ(slots[0].count, 3u);
  EXPECT_EQ(slots[1].count, 4u);
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

TEST(TargetBinary, MayHaveNoMoreCodeThanPlacesCanSay) {
  BytesOut out;
  out.raw(std::string("\x7f"
                      "ELF\2\1\1",
                      7))
      .pad(9)
      .u16(3)
      .u16(62)
      .u32(1)
      .u64(0)
      .u64(64)
      .u64(0);
  out.u32(0).u16(64).u16(56).u16(1).u16(64).u16(0).u16(0);
  out.u32(1).u32(5).u64(0).u64(0).u64(0).u64(std::uint64_t{1} << 32).u64(0).u64(4096);
  const auto binary = TargetBinary::read(out.view(), "large");
  ASSERT_FALSE(binary);
  EXPECT_EQ(binary.error().code, Errc::unsupported);
}

TEST(TargetBinary, BuildIdsMayBeFilledWithZeros) {
  const std::uint8_t id[] = {1, 2, 3}, filled[] = {1, 2, 3, 0, 0}, other[] = {1, 2, 3, 4};
  EXPECT_TRUE(is_same_build_id(id, filled));
  EXPECT_TRUE(is_same_build_id(filled, id));
  EXPECT_FALSE(is_same_build_id(id, other));
  EXPECT_FALSE(is_same_build_id({}, {}));
}

}  // namespace
}  // namespace evname::test
