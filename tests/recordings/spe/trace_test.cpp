// The clock of trace data, and the letters of --itrace.

#include "recordings/spe/trace.hpp"

#include <gtest/gtest.h>

#include "evname/recording.hpp"
#include "support/bytes_out.hpp"

namespace evname::spe {
namespace {

perf_format::CounterClock clock_of(const test::BytesOut& body) {
  const std::string& bytes = body.str();
  return perf_format::CounterClock(
      {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, std::endian::little);
}

// 25 MHz: 40 ns a count, as 655360 / 2^14.
TEST(SpeClock, CountsAreTimes) {
  const perf_format::CounterClock clock = clock_of(test::BytesOut().u64(14).u64(655360).u64(1000));
  EXPECT_FALSE(clock.is_missing());
  EXPECT_EQ(clock.time_of(0), 1000u);
  EXPECT_EQ(clock.time_of(3), 1120u);
  EXPECT_EQ(clock.time_of(std::uint64_t{1} << 40), 1000 + (std::uint64_t{40} << 40));
  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{1} << 40})
    EXPECT_EQ(clock.count_of(clock.time_of(count)), count);
  EXPECT_EQ(clock.last_count_of(1119), 2u);
  EXPECT_EQ(clock.last_count_of(1120), 3u);
  EXPECT_EQ(clock.last_count_of(1159), 3u);
  const perf_format::CounterClock fast =
      clock_of(test::BytesOut().u64(2).u64(3).u64(0));  // 3 ns in 4 counts
  for (std::uint64_t time = 0; time < 20; ++time) {
    EXPECT_LE(fast.time_of(fast.last_count_of(time)), time);
    EXPECT_GT(fast.time_of(fast.last_count_of(time) + 1), time);
  }
}

TEST(SpeClock, ShortCountersWrap) {
  const auto body = [](std::uint8_t is_short) {
    return test::BytesOut().u64(0).u64(1).u64(0).u64(0x1fff0).u64(0xffff).u8(1).u8(is_short).pad(6);
  };
  EXPECT_EQ(clock_of(body(1)).time_of(0xfff5), 0x1fff5u);
  EXPECT_EQ(clock_of(body(1)).time_of(5), 0x20005u);
  EXPECT_EQ(clock_of(body(0)).time_of(5), 5u);
}

TEST(SpeClock, ARecordThatMakesNoSenseIsNone) {
  EXPECT_TRUE(clock_of(test::BytesOut().u64(14).u64(655360)).is_missing());
  EXPECT_TRUE(clock_of(test::BytesOut().u64(64).u64(1).u64(0)).is_missing());
  EXPECT_TRUE(clock_of(test::BytesOut().u64(1).u64(0).u64(0)).is_missing());
  EXPECT_EQ(perf_format::CounterClock().time_of(7), 7u);
}

// itrace_do_parse_synth_opts of tools/perf/util/auxtrace.c.
TEST(TraceLetters, AreThoseOfPerf) {
  const struct {
    const char* letters;
    unsigned kinds;
    std::uint64_t period, branches;
  } kRows[] = {{"", 0x7f, 1, 0},        {"f", 1, 0, 0},         {"m", 2, 0, 0},
               {"t", 4, 0, 0},          {"b", 8, 0, 0},         {"c", 8, 0, 0},
               {"r", 8, 0, 0},          {"a", 16, 0, 0},        {"M", 32, 0, 0},
               {"i", 64, 1, 0},         {"i1i", 64, 1, 0},      {"i10i", 64, 10, 0},
               {"i,10 i b", 72, 10, 0}, {"i10", 64, 10, 0},     {"y3ib", 8, 3, 0},
               {"bl", 8, 0, 64},        {"l2b", 8, 0, 2},       {"bL4g5G6s7", 8, 0, 0},
               {"xwpoIqAZTb", 8, 0, 0}, {"e+o-ld+t b", 8, 0, 0}};
  for (const auto& row : kRows) {
    const auto options = parse_trace_options(row.letters);
    ASSERT_TRUE(options) << row.letters;
    EXPECT_EQ(options->kinds, row.kinds) << row.letters;
    EXPECT_EQ(options->period, row.period) << row.letters;
    EXPECT_EQ(options->branch_stack, row.branches) << row.letters;
  }
  for (const char* letters : {"v", "i10us", "i10t", "l0", "g0", "l1025", "s", "e+1", "fk"})
    EXPECT_FALSE(parse_trace_options(letters)) << letters;
}

}  // namespace
}  // namespace evname::spe
