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
