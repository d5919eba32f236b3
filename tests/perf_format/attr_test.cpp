#include "perf_format/recorded_events.hpp"

#include <gtest/gtest.h>

#include "support/perf_file.hpp"

namespace evname::perf_format {
namespace {

using test::AttrSpec;

class AnyAttr : public testing::TestWithParam<std::endian> {
 protected:
  Attr decode(const AttrSpec& spec) {
    const std::string bytes = test::attr_bytes(spec, GetParam());
    return decode_attr(test::view_of(bytes), GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(Attr, AnyAttr, testing::Values(std::endian::little, std::endian::big));

TEST_P(AnyAttr, EveryFieldIsRead) {
  AttrSpec spec{.type = 10,
                .config = 0x123456789abcdef0,
                .config1 = 0x1122334455667788,
                .config2 = 7,
                .config3 = 8,
                .config4 = 9,
                .sample_type = 0x10007,
                .read_format = 4,
                .branch_type = 0x20001,
                .period = 4000,
                .flags = {0, 18, 20, 37},
                .regs_user = 0xff,
                .regs_intr = 0xf0,
                .bp_type = 3,
                .size = 144};
  const Attr attr = decode(spec);
  EXPECT_EQ(attr.code.type, 10u);
  EXPECT_EQ(attr.size, 144u);
  EXPECT_EQ(attr.code.config[0], 0x123456789abcdef0u);
  EXPECT_EQ(attr.code.config[1], 0x1122334455667788u);
  EXPECT_EQ(attr.code.config[2], 7u);
  EXPECT_EQ(attr.code.config[3], 8u);
  EXPECT_EQ(attr.code.config[4], 9u);
  EXPECT_EQ(attr.sample_type, 0x10007u);
  EXPECT_EQ(attr.read_format, 4u);
  EXPECT_EQ(attr.branch_sample_type, 0x20001u);
  EXPECT_EQ(attr.sample_period, 4000u);
  EXPECT_EQ(attr.flags, 1u | 1u << 18 | 1u << 20 | std::uint64_t{1} << 37);
  EXPECT_EQ(attr.regs_user, 0xffu);
  EXPECT_EQ(attr.regs_intr, 0xf0u);
  EXPECT_EQ(attr.bp_type, 3u);
}

TEST_P(AnyAttr, FieldsAShortAttrLacksAreZero) {
  const Attr attr = decode({.config1 = 5, .config2 = 6, .regs_user = 7, .size = 64});
  EXPECT_EQ(attr.code.config[1], 5u);
  EXPECT_EQ(attr.code.config[2], 0u);
  EXPECT_EQ(attr.regs_user, 0u);
}

TEST_P(AnyAttr, BytesOfALongerAttrAreIgnored) {
  EXPECT_EQ(decode({.config3 = 9, .size = 200}).code.config[3], 9u);
}

TEST(Attr, PreciseIpOfABigEndianRecorderHasItsHighBitFirst) {
  const auto precise = [](int bit, std::endian order) {
    const std::string bytes = test::attr_bytes({.flags = {bit}}, order);
    return decode_attr(test::view_of(bytes), order).precise_ip();
  };
  EXPECT_EQ(precise(15, std::endian::little), 1u);
  EXPECT_EQ(precise(16, std::endian::little), 2u);
  EXPECT_EQ(precise(15, std::endian::big), 2u);
  EXPECT_EQ(precise(16, std::endian::big), 1u);
}

}  // namespace
}  // namespace evname::perf_format
