// Whether a recording was made on this machine since it started: the clock of its samples counts
// from that moment, so that time and clock together give it away.

#include "recordings/session/recorded_on.hpp"

#include <gtest/gtest.h>

#include <ctime>

namespace evname::session {
namespace {

constexpr std::uint64_t kOneSecond = 1'000'000'000, kStart = 1'700'000'000 * kOneSecond;
constexpr std::uint16_t kX86 = 62;

ThisMachine here() { return {"box", "6.1.0", kX86, kStart, kStart, 1000 * kOneSecond}; }

perf_format::Features recorded() {
  perf_format::Features out;
  out.hostname = "box";
  out.os_release = "6.1.0";
  out.arch = "x86_64";
  return out;
}

/// A recording whose first record is of second 100 after the start.
FileTimes file(std::uint64_t created, std::uint64_t modified) {
  return {created == 0 ? 0 : kStart + created * kOneSecond, kStart + modified * kOneSecond,
          100 * kOneSecond};
}

TEST(RecordedOn, TheMachineAndTheMomentItStarted) {
  const struct {
    const char* what;
    FileTimes file;
    std::uint64_t until;  ///< seconds after the start; 0: elsewhere
  } rows[] = {
      {"made at once", file(99, 201), 201},
      {"the file system does not tell when it was made", file(0, 101), 101},
      {"nothing happened for long at its ends", file(20, 203), 203},
      {"a copy", file(500, 500), 0},
      {"a copy with the times of the original", file(500, 201), 0},
      {"of an earlier start",
       {kStart - 901 * kOneSecond, kStart - 799 * kOneSecond, 100 * kOneSecond},
       0},
      {"changed before the first sample", file(20, 50), 0},
      {"unknown times", {}, 0},
  };
  for (const auto& row : rows)
    EXPECT_EQ(here_until(recorded(), {}, row.file, here()),
              row.until == 0 ? 0 : kStart + row.until * kOneSecond)
        << row.what;
}

TEST(RecordedOn, AllOfItsNamesHaveToBeTheSame) {
  perf_format::Features other = recorded();
  other.hostname = "other";
  EXPECT_EQ(here_until(other, {}, file(99, 201), here()), 0);
  other = recorded();
  other.os_release = "6.1.1";
  EXPECT_EQ(here_until(other, {}, file(99, 201), here()), 0);
  other = recorded();
  other.arch = "aarch64";
  EXPECT_EQ(here_until(other, {}, file(99, 201), here()), 0);
  other = recorded();
  other.hostname.clear();
  EXPECT_EQ(here_until(other, {}, file(99, 201), here()), 0);
}

// CLOCK_DATA has both clocks at one moment, so that the file's times don't count.
TEST(RecordedOn, TheClockThatWasChosen) {
  perf_format::Attr attr;
  attr.flags = std::uint64_t{1} << perf_format::kUseClockid;
  attr.clockid = CLOCK_MONOTONIC;
  perf_format::Features features = recorded();
  const FileTimes copied = file(500, 500);
  const auto with = [&](std::uint64_t wall) {
    features.clock = {.clockid = CLOCK_MONOTONIC, .wall_clock = wall, .clock = 90 * kOneSecond};
    return here_until(features, attr, copied, here());
  };
  EXPECT_EQ(with(kStart + 90 * kOneSecond), copied.modified);
  EXPECT_EQ(with(kStart + 190 * kOneSecond), 0);
  EXPECT_EQ(with(kStart - 900 * kOneSecond), 0);
  attr.clockid = CLOCK_REALTIME;  // says nothing of the start
  EXPECT_EQ(here_until(features, attr, file(99, 201), here()), 0);
}

// The clock stands while a machine is suspended.
TEST(RecordedOn, BeforeAndAfterItWasSuspended) {
  ThisMachine slept = here();
  slept.started_less_sleep += 3600 * kOneSecond;
  EXPECT_NE(here_until(recorded(), {}, file(99, 201), slept), 0);
  EXPECT_NE(here_until(recorded(), {}, file(3699, 3801), slept), 0);
  EXPECT_EQ(here_until(recorded(), {}, file(7299, 7401), slept), 0);
}

}  // namespace
}  // namespace evname::session
