// How long threads are off their CPU. The times in the expected texts are differences of the times
// in the records above them.

#include "recordings/session/waits.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "evname/report.hpp"
#include "recordings/perf_data/recording_state.hpp"
#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"
#include "support/tracing_data.hpp"

namespace evname::session {
namespace {

using test::BytesOut;
using test::PerfFile;
using test::TempDir;

using perf_format::kSampleRaw;
using perf_format::kSampleTid;
using perf_format::kSampleTime;

constexpr int kSwitchRecords = 26;
constexpr std::uint64_t kSleeps = 1, kDisk = 2, kDead = 0x10, kPreempted = 0x100;
/// sched_switch of Linux 6.12; older kernels call other bits and letters.
const std::string kPrint =
    "print fmt: \"%s\", (REC->prev_state & 255) ? __print_flags(REC->prev_state & 255, \"|\", "
    "{ 0x00000001, \"S\" }, { 0x00000002, \"D\" }, { 0x00000004, \"T\" }, { 0x00000008, \"t\" }, "
    "{ 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, { 0x00000040, \"P\" }, { 0x00000080, \"I\" }) : "
    "\"R\"\n";
const std::string kPrintOfOld =
    "print fmt: \"%s\", REC->prev_state & 2047 ? __print_flags(REC->prev_state & 2047, \"|\", "
    "{ 1, \"S\"} , { 2, \"D\" }, { 16, \"Z\" }, { 32, \"X\" }, { 64, \"x\" }, { 128, \"K\" }, "
    "{ 1024, \"N\" }) : \"R\"\n";

/// The recorder's byte order and the size of its long, which prev_state has.
class WaitsOf : public testing::TestWithParam<std::tuple<std::endian, std::size_t>> {
 protected:
  std::endian order() const { return std::get<0>(GetParam()); }
  bool is_64() const { return std::get<1>(GetParam()) == 8; }
  BytesOut out() const { return BytesOut(order()); }

  PerfFile tracepoints(std::uint64_t period = 1, const std::string& print = kPrint) const {
    const int state = is_64() ? 16 : 12, size = is_64() ? 8 : 4;
    const std::string fields = fmt::format(
        "\tfield:pid_t prev_pid;\toffset:8;\tsize:4;\tsigned:1;\n"
        "\tfield:long prev_state;\toffset:{};\tsize:{};\tsigned:1;\n"
        "\tfield:pid_t next_pid;\toffset:{};\tsize:4;\tsigned:1;\n\n{}",
        state, size, state + size, print);
    PerfFile file(order());
    file.event({.type = 2,
                .config = 316,
                .sample_type = kSampleTid | kSampleTime | kSampleRaw,
                .period = period});
    file.feature(1, test::tracing_data(order(), "sched", {{316, "sched_switch"}}, fields));
    return file;
  }
  PerfFile software(std::vector<int> flags = {18, kSwitchRecords}, std::uint64_t period = 1) const {
    PerfFile file(order());
    file.event({.type = 1,
                .config = 3,
                .sample_type = kSampleTid | kSampleTime,
                .period = period,
                .flags = std::move(flags)});
    return file;
  }

  std::string thread(std::uint32_t tid, std::uint64_t time) const {
    return out().u32(1).u32(tid).u64(time).str();
  }
  void change(PerfFile& file, std::uint64_t time, std::uint32_t prev, std::uint64_t state,
              std::uint32_t next) const {
    BytesOut raw = out();
    raw.u64(0).u32(prev);
    is_64() ? raw.u32(0).u64(state) : raw.u32(static_cast<std::uint32_t>(state));
    raw.u32(next);
    file.record(9, out()
                       .raw(thread(prev, time))
                       .u32(static_cast<std::uint32_t>(raw.size()))
                       .raw(raw.str())
                       .str());
  }
  void leave(PerfFile& file, std::uint64_t time, std::uint32_t tid, bool preempted = false) const {
    file.record(9, thread(tid, time));
    const int misc = perf_format::kMiscSwitchOut | (preempted ? 1 << 14 : 0);
    file.record(14, thread(tid, time + 1), static_cast<std::uint16_t>(misc));
  }
  void come(PerfFile& file, std::uint64_t time, std::uint32_t tid) const {
    file.record(14, thread(tid, time));
  }
  void fork(PerfFile& file, std::uint64_t time, std::uint32_t tid, bool exits = false) const {
    file.record(exits ? 4 : 7,
                out().u32(1).u32(1).u32(tid).u32(5).u64(time).raw(thread(5, time)).str());
  }

  /// Notes each wait as "tid@end+ns state", then the notes.
  static std::string waits(const PerfFile& file, bool file_order = false) {
    const TempDir dir;
    const auto opened = Recording::open(dir.write("perf.data", file.file()));
    EXPECT_TRUE(opened);
    RecordCursor cursor(detail::state_of(*opened).file, {.file_order = file_order, .waits = true});
    std::string text;
    while (cursor.next_sample()) {
      const perf_format::SampleRecord& sample = cursor.sample();
      text += fmt::format("{}@{}+{} {}\n", sample.tid, sample.time, sample.period,
                          off_cpu_text(sample.off_cpu));
    }
    for (const std::string& note : cursor.tally().gaps) text += note + '\n';
    return text;
  }
  /// Returns the message if the recording has no waits.
  static std::string check(const PerfFile& file) {
    const TempDir dir;
    const auto opened = Recording::open(dir.write("perf.data", file.file()));
    const auto checked = Waits::check(detail::state_of(*opened).file.events);
    return checked ? "" : checked.error().message;
  }
};
INSTANTIATE_TEST_SUITE_P(OfRecorders, WaitsOf,
                         testing::Combine(testing::Values(std::endian::little, std::endian::big),
                                          testing::Values(std::size_t{8}, std::size_t{4})));

TEST_P(WaitsOf, LastUntilTheThreadComesBack) {
  PerfFile file = tracepoints();
  change(file, 100, 7, kSleeps, 0);
  change(file, 150, 0, 0, 8);
  change(file, 180, 8, kPreempted, 7);
  change(file, 250, 7, kDisk, 8);
  change(file, 300, 8, 0, 0);
  const std::string expected =
      "7@180+80 S (sleeping)\n8@250+70 R+ (preempted)\n7@300+50 D (disk sleep)\n"
      "1 wait is left out: the recording lacks its beginning\n"
      "1 wait had not ended: it counts until the last sample\n";
  EXPECT_EQ(waits(file), expected);
  EXPECT_EQ(waits(file, true), expected);
}

TEST_P(WaitsOf, ArePairedByTimeWhateverTheOrderOfTheFile) {
  PerfFile file = tracepoints();
  change(file, 180, 0, 0, 7);
  change(file, 100, 7, kSleeps, 0);
  EXPECT_EQ(waits(file, true), "7@180+80 S (sleeping)\n");
}

TEST_P(WaitsOf, AreNotWhatFollowsAnExit) {
  PerfFile file = tracepoints();
  fork(file, 50, 7);
  change(file, 60, 8, kSleeps, 7);  // its first run is no wait
  change(file, 100, 7, kDead, 8);
  change(file, 200, 8, kDead, 0);
  EXPECT_EQ(waits(file), "8@100+40 S (sleeping)\n");
}

TEST_P(WaitsOf, HaveTheLettersOfTheRecordedKernel) {
  PerfFile file = tracepoints(1, kPrintOfOld);
  change(file, 100, 7, kDisk | 128, 8);
  change(file, 110, 8, 2048, 7);
  change(file, 130, 7, 64, 8);
  change(file, 140, 8, 16, 0);
  EXPECT_EQ(waits(file),
            "7@110+10 D (disk sleep)\n8@130+20 R+ (preempted)\n"
            "1 wait is left out: the recording lacks its beginning\n");
}

TEST_P(WaitsOf, AreLeftOutWithoutTheirEnd) {
  PerfFile file = tracepoints();
  change(file, 100, 7, kSleeps, 0);
  change(file, 200, 7, kSleeps, 0);  // it came back in between
  change(file, 250, 0, 0, 7);
  EXPECT_EQ(waits(file),
            "7@250+50 S (sleeping)\n1 wait is left out: the recording lacks its end\n");
  PerfFile exits = software();
  leave(exits, 100, 7);
  fork(exits, 200, 7, true);  // so it came back in between
  EXPECT_EQ(waits(exits),
            "1 wait is left out: the recording lacks its end; record -a or --switch-events has all "
            "of them\n");
}

// Two marks of rounds hand out what came before; the end comes too late to be before its beginning.
TEST_P(WaitsOf, AreNeverShorterThanNothing) {
  PerfFile file = tracepoints();
  change(file, 200, 7, kSleeps, 0);
  file.record(68, "").record(68, "");
  change(file, 150, 0, 0, 7);
  EXPECT_EQ(waits(file), "7@200+0 S (sleeping)\n");
}

TEST_P(WaitsOf, AreLeftOutIfSamplesWereLostMeanwhile) {
  PerfFile file = tracepoints();
  change(file, 100, 7, kSleeps, 0);
  file.record(2, out().u64(0).u64(3).raw(thread(1, 150)).str());  // LOST
  change(file, 200, 0, 0, 7);
  change(file, 250, 7, kDisk, 0);
  change(file, 300, 0, 0, 7);
  EXPECT_EQ(waits(file),
            "7@300+50 D (disk sleep)\n1 wait is left out: samples were lost meanwhile\n");
}

TEST_P(WaitsOf, MayBeTooLongIfNobodyKnowsWhenSamplesWereLost) {
  PerfFile file = tracepoints();
  file.record(2, out().u64(0).u64(3).raw(thread(1, 50)).str());  // LOST, before all
  change(file, 100, 7, kSleeps, 0);
  change(file, 200, 0, 0, 7);
  file.record(13, out().u64(4).raw(thread(1, 0)).str());  // LOST_SAMPLES at the end
  EXPECT_EQ(waits(file),
            "7@200+100 S (sleeping)\n"
            "4 samples were lost, nobody knows when: waits around them are too long\n");
}

TEST_P(WaitsOf, EndWithTheRecordsOfSwitches) {
  PerfFile file = software();
  leave(file, 100, 7);
  leave(file, 120, 8, true);
  come(file, 150, 7);
  come(file, 190, 8);
  leave(file, 200, 7);
  fork(file, 210, 9);
  come(file, 220, 9);
  fork(file, 230, 9, true);
  leave(file, 240, 9);
  EXPECT_EQ(waits(file),
            "7@150+50 blocked\n8@190+70 R (runnable)\n7@241+41 blocked\n"
            "1 wait had not ended: it counts until the last sample\n");
}

TEST_P(WaitsOf, OfTracepointsOfOneProcessEndWithTheRecordsOfSwitches) {
  PerfFile file = tracepoints();
  change(file, 100, 7, kDisk, 0);
  file.record(14, thread(7, 101), perf_format::kMiscSwitchOut);
  come(file, 140, 7);
  EXPECT_EQ(waits(file), "7@140+40 D (disk sleep)\n");
}

TEST_P(WaitsOf, NeedEachSwitch) {
  const auto needs = [](const PerfFile& file, std::string_view words) {
    return check(file).find(words) != std::string::npos;
  };
  EXPECT_EQ(check(tracepoints()), "");
  EXPECT_EQ(check(software()), "");
  EXPECT_TRUE(needs(software({18}), "--switch-events"));
  EXPECT_TRUE(needs(tracepoints(2), "no event says how long"));
  EXPECT_TRUE(needs(software({18, kSwitchRecords}, 2), "no event says how long"));
  EXPECT_TRUE(needs(PerfFile(order()).event({.sample_type = kSampleTid | kSampleTime}),
                    "no event says how long"));
}

TEST_P(WaitsOf, AreTheWeightOfReports) {
  PerfFile file = tracepoints();
  for (const std::uint64_t begin : {100, 200, 300}) {
    change(file, begin, 7, kPreempted, 8);
    change(file, begin + 10, 8, kSleeps, 7);
  }
  change(file, 400, 7, kDead, 8);
  change(file, 410, 8, kDead, 0);
  const TempDir dir;
  const auto opened = Recording::open(dir.write("perf.data", file.file()));
  Report report({.keys = {SortKey::state, SortKey::tid}, .pass = {.waits = true}});
  ASSERT_TRUE(report.add(*opened));
  std::string text;
  for (const Report::Row& row : report.rows())
    text += fmt::format("{} {}: {} {} {:.3f}\n", row.keys[0], row.keys[1], row.samples, row.period,
                        row.share);
  // 8: 110 to 200, 210 to 300, 310 to 400; 7: three times 10.
  EXPECT_EQ(text, "S (sleeping) 8: 3 270 0.900\nR+ (preempted) 7: 3 30 0.100\n");
}

}  // namespace
}  // namespace evname::session
