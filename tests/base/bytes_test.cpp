#include "base/bytes.hpp"

#include <gtest/gtest.h>

namespace evname {
namespace {

constexpr std::uint8_t kBytes[] = {1, 2, 3, 4, 5, 6, 7, 8, 'a', 'b', 0, 'c'};

TEST(Cursor, ReadsEitherByteOrder) {
  Cursor little(kBytes, std::endian::little), big(kBytes, std::endian::big);
  EXPECT_EQ(little.u64(), 0x0807060504030201u);
  EXPECT_EQ(big.u16(), 0x0102u);
  EXPECT_EQ(big.u32(), 0x03040506u);
  EXPECT_EQ(big.u8(), 7u);
}

TEST(Cursor, TextEndsAtItsNulOrItsBytes) {
  Cursor in(kBytes);
  in.skip(8);
  EXPECT_EQ(in.line(), "ab");
  EXPECT_EQ(in.text(1), "c");
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(in.remaining(), 0u);
}

TEST(Cursor, AReadPastTheEndFailsForGood) {
  Cursor in(kBytes);
  in.skip(9);
  EXPECT_EQ(in.u32(), 0u);
  EXPECT_FALSE(in.ok());
  EXPECT_EQ(in.u8(), 0u);  // though one byte would be there
  EXPECT_TRUE(in.bytes(0).empty());
  EXPECT_EQ(in.line(), "");
}

TEST(Cursor, SizesThatOverflowFail) {
  for (std::uint64_t count : {UINT64_MAX, UINT64_MAX / 8 + 2}) {
    Cursor in(kBytes);
    EXPECT_TRUE(in.array(count, 8).empty());
    EXPECT_FALSE(in.ok());
  }
  Cursor in(kBytes);
  in.skip(UINT64_MAX);
  EXPECT_FALSE(in.ok());
}

TEST(Cursor, ALineWithoutNulFails) {
  Cursor in(Bytes(kBytes).first(8));
  EXPECT_EQ(in.line(), "");
  EXPECT_FALSE(in.ok());
}

}  // namespace
}  // namespace evname
