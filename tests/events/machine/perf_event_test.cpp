// Events as the perf_event_attr that opens them. tests/c/resolve.c has the members one by one.

#include "evname/encoding.hpp"

#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include "evname/machine.hpp"

namespace evname {
namespace {

Encoding encoding_of(const char* text) {
  static const auto machine = Machine::named("skylakex");
  const auto found = machine->resolve(text);
  EXPECT_TRUE(found && found->size() == 1) << text;
  return found->front();
}

TEST(FillAttr, WritesWhatTheEventSaysAndLeavesTheRest) {
  perf_event_attr attr{};
  attr.sample_period = 4711;
  attr.inherit = 1;
  ASSERT_TRUE(fill_attr(encoding_of("mem_load_retired.l3_miss:upp"), attr));
  EXPECT_EQ(attr.type, 4u);
  EXPECT_EQ(attr.size, sizeof attr);
  EXPECT_EQ(attr.config, 0x20d1u);
  EXPECT_TRUE(attr.exclude_kernel && attr.exclude_hv && !attr.exclude_user);
  EXPECT_EQ(attr.precise_ip, 2u);
  EXPECT_EQ(attr.sample_period, 4711u);
  EXPECT_TRUE(attr.inherit);
}

TEST(FillAttr, RefusesWhatTheStructHasNoRoomFor) {
  alignas(8) unsigned char bytes[64] = {};
  const auto filled = fill_attr(encoding_of("mem:0x1234:w"), bytes, sizeof bytes);
  ASSERT_FALSE(filled);
  EXPECT_EQ(filled.error().code, Errc::out_of_range);
  for (const unsigned char byte : bytes) EXPECT_EQ(byte, 0);
}

// PERF_ATTR_SIZE_VER0 is 64, VER1 has config2 at 64, VER7 config3 at 128, VER8 config4 at 136.
TEST(FillAttr, TakesAStructOfEachSizeThatHasTheWords) {
  const struct {
    const char* text;
    std::size_t least;
    const char* error;
  } cases[] = {{"r1", 64, "a perf_event_attr has at least 64 bytes"},
               {"cpu/config1=1/", 64, "a perf_event_attr has at least 64 bytes"},
               {"cpu/config2=1/", 72, "this perf_event_attr is too old to have config2"},
               {"cpu/config3=1/", 136, "this perf_event_attr is too old to have config3"},
               {"cpu/config4=1/", 144, "this perf_event_attr is too old to have config4"}};
  for (const auto& c : cases) {
    alignas(8) unsigned char bytes[144] = {};
    const auto less = fill_attr(encoding_of(c.text), bytes, c.least - 1);
    ASSERT_FALSE(less) << c.text;
    EXPECT_EQ(less.error().message, c.error);
    ASSERT_TRUE(fill_attr(encoding_of(c.text), bytes, c.least)) << c.text;
    EXPECT_EQ(bytes[4], c.least) << c.text;
    const std::size_t word = c.least == 64 ? (c.text[0] == 'r' ? 8 : 56) : c.least - 8;
    EXPECT_EQ(bytes[word] | bytes[word + 7], 1) << c.text;  // either byte order
    EXPECT_EQ(bytes[0] | bytes[3], 4) << c.text;
  }
}

TEST(FillAttr, NeedsTheType) {
  Encoding event = encoding_of("mem_load_retired.l3_miss");
  event.code.has_type = 0;
  perf_event_attr attr{};
  const auto filled = fill_attr(event, attr);
  ASSERT_FALSE(filled);
  EXPECT_EQ(filled.error().code, Errc::not_found);
}

}  // namespace
}  // namespace evname
