// The arithmetic of reading counters without a system call. Values are worked out by hand from the
// description of struct perf_event_mmap_page in include/uapi/linux/perf_event.h.
#include "counting/counter_sets.hpp"

#include <gtest/gtest.h>
#include <linux/perf_event.h>

namespace evname::counting {
namespace {

TEST(UserRead, ARegistersHighestBitIsItsSign) {
  const struct {
    std::uint64_t value;
    unsigned width;
    std::uint64_t expected;
  } cases[] = {
      {0x7fffffffffff, 48, 0x7fffffffffff},
      {0x800000000000, 48, 0xffff800000000000},
      {0xffffffffffff, 48, ~std::uint64_t{0}},
      {0x1234'7fffffffffff, 48, 0x7fffffffffff},  // bits above the width do not count
      {0x7fffffff, 32, 0x7fffffff},
      {0x80000000, 32, 0xffffffff80000000},
      {1, 1, ~std::uint64_t{0}},
      {0, 1, 0},
      {0x7fffffffffffffff, 64, 0x7fffffffffffffff},
      {0x8000000000000000, 64, 0x8000000000000000},
      {0x4000000000000000, 63, 0xc000000000000000},
      {0x8000000000000000, 0, 0x8000000000000000},   // not stated
      {0x8000000000000001, 65, 0x8000000000000001},  // no such width
  };
  for (const auto& c : cases)
    EXPECT_EQ(sign_extended(c.value, c.width), c.expected) << std::hex << c.value << ' ' << c.width;
}

// offset + (cycles >> shift) * mult + (((cycles & (2^shift - 1)) * mult) >> shift)
TEST(UserRead, TimesAreScaledInTwoParts) {
  constexpr std::uint64_t kShort = 1 << 5;
  const struct {
    std::uint16_t shift;
    std::uint32_t mult;
    std::uint64_t offset, clock, capabilities, cycles, expected;
  } cases[] = {
      {0, 1, 0, 0, 0, 1000, 1000},
      {0, 3, 5, 0, 0, 1000, 3005},
      {10, 1024, 0, 0, 0, 12345, 12345},  // 1 ns a cycle
      {10, 512, 7, 0, 0, 1025, 519},      // 1 * 512 + (1 * 512 >> 10) + 7
      {10, 512, 7, 0, 0, 1026, 520},      // 1 * 512 + (2 * 512 >> 10) + 7
      {32, 0x80000000, 0, 0, 0, 0x300000004, 0x180000002},
      {63, 2, 0, 0, 0, 0x4000000000000000, 1},
      {64, 5, 0, 0, 0, 3, 15},  // of 6 bits
      // A clock of 8 bits that has gone round since the page was written, and one that has not.
      {0, 1, 0, 0x1fe, kShort, 0x03, 0x203},
      {0, 1, 0, 0x1fe, kShort, 0xff, 0x1ff},
      {0, 1, 0, 0x1fe, 0, 0x03, 0x03},
  };
  for (const auto& c : cases) {
    perf_event_mmap_page page = {};
    page.time_shift = c.shift;
    page.time_mult = c.mult;
    page.time_offset = c.offset;
    page.time_cycles = c.clock;
    page.time_mask = 0xff;
    EXPECT_EQ(elapsed(page, c.cycles, c.capabilities), c.expected) << c.shift << ' ' << c.cycles;
  }
}

// Intel SDM volume 3, "PERF_METRICS": event 0 with unit masks 0x80 to 0x87; SLOTS, of unit mask 4,
// is a count.
TEST(UserRead, FieldsOfTopdownAreNoCounts) {
  const struct {
    std::uint64_t config;
    bool is;
  } cases[] = {{0x3c, false},  {0x400, false}, {0x7f00, false}, {0x8000, true},  {0x8300, true},
               {0x8400, true}, {0x8700, true}, {0x8800, false}, {0x80c0, false}, {0xff00, false}};
  for (const auto& c : cases) {
    Encoding event;
    event.code.config[0] = c.config;
    EXPECT_EQ(is_topdown(event), c.is) << std::hex << c.config;
  }
}

}  // namespace
}  // namespace evname::counting
