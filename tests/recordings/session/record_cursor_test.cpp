#include "recordings/session/recording_fixture.hpp"

#include <set>

#include "support/environment.hpp"

namespace evname::session {
namespace {

INSTANTIATE_TEST_SUITE_P(RecordCursor, AnyRecording,
                         testing::Values(std::endian::little, std::endian::big));

TEST_P(AnyRecording, SamplesComeInTheOrderOfTimeWithTheirEvents) {
  PerfFile input = file();
  input.record(9, sample(2, 5, 30))
      .record(9, sample(1, 5, 10))
      .record(68, "")
      .record(9, sample(2, 5, 20));
  EXPECT_EQ(read(input.file()).samples, ":5@10/0 :5@20/1 :5@30/1 ");
  EXPECT_EQ(read(input.pipe()).samples, ":5@10/0 :5@20/1 :5@30/1 ");
}

TEST_P(AnyRecording, CommIsWhatTheThreadWasCalledAtTheTime) {
  PerfFile input = file();
  input.record(9, sample(1, 0, 5)).record(9, sample(1, 7, 6));
  input.record(3, comm(7, "bash", 10)).record(9, sample(1, 7, 11));
  input.record(7, fork(8, 7, 12)).record(9, sample(1, 8, 13));
  input.record(3, comm(8, "ls", 14), 1 << 13)
      .record(9, sample(1, 8, 15))
      .record(9, sample(1, 7, 16));
  EXPECT_EQ(read(input.file()).samples,
            "swapper@5/0 :7@6/0 bash@11/0 bash@13/0 ls@15/0 bash@16/0 ");
}

TEST_P(AnyRecording, ACommWithoutNulEndsBeforeTheTrailer) {
  PerfFile input = file();
  input.record(3, out().u32(7).u32(7).raw("eight by").raw(trailer(7, 1)).str());
  input.record(9, sample(1, 7, 2));
  EXPECT_EQ(read(input.file()).samples, "eight by@2/0 ");
}

TEST_P(AnyRecording, AForkOfAThreadWithoutNameGivesNone) {
  PerfFile input = file();
  input.record(7, fork(8, 7, 1)).record(9, sample(1, 8, 2));
  EXPECT_EQ(read(input.file()).samples, ":8@2/0 ");
}

TEST_P(AnyRecording, SamplesThatCanNotBeReadAreCountedAndTheOthersGoOn) {
  PerfFile input = file();
  input.record(9, sample(99, 5, 10)).record(9, out().u64(1).u32(1).str()).record(9, "");
  input.record(200, "later perfs' own").record(40, sample(1, 5, 12)).record(9, sample(1, 5, 13));
  const Read got = read(input.file());
  EXPECT_EQ(got.samples, ":5@13/0 ");
  EXPECT_EQ(got.tally.samples, 1u);
  EXPECT_EQ(got.tally.unknown_ids, 2u);  // the empty one has no id at all
  EXPECT_EQ(got.tally.malformed, 1u);
  EXPECT_TRUE(warns_of(got.tally, "2 records are of unknown types"));
  EXPECT_FALSE(got.tally.warnings.empty());
}

// Sizes without the name that ends some: the structs in the comments of
// include/uapi/linux/perf_event.h.
TEST_P(AnyRecording, RecordsThatHaveMoreThanTheirTypeSaysAreCounted) {
  const struct {
    std::uint32_t type;
    std::size_t size;
    std::string name = {};
  } kRows[] = {{1, 32, "name"}, {2, 16}, {3, 8, "name"},   {4, 24},          {5, 24},
               {6, 24},         {7, 24}, {10, 64, "name"}, {11, 24},         {12, 8},
               {13, 8},         {14, 0}, {15, 8},          {17, 16, "name"}, {18, 16},
               {19, 8, "name"}, {21, 8}, {68, 0}};
  for (const auto& row : kRows) {
    const std::string body = out().pad(row.size).raw(row.name.empty() ? "" : row.name + '\0').str();
    for (const std::size_t more : {0, 8}) {
      PerfFile input = file();
      const std::string end = row.type < 64 ? trailer(1, 5) : "";
      const std::string padding(row.name.empty() ? 0 : 3, '\0');
      input.record(row.type, body + padding + std::string(more, '\xff') + end);
      EXPECT_EQ(warns_of(read(input.file()).tally, fmt::format("({}) record is longer", row.type)),
                more > 0)
          << row.type;
    }
  }
}

// Groups come from perf's HEADER_GROUP_DESC (17); branch counters are a property of the group.
// Kernels of RHEL 7.0: perf_event_mmap_output of their kernel/events/core.c.
TEST_P(AnyRecording, MappingsWithoutProtectionAreCountedInOneNote) {
  PerfFile input = file();
  const auto map = [&](std::uint64_t start) {
    return out().u32(5).u32(5).u64(start).u64(0x1000).u64(0).u32(8).u32(1).u64(3).u64(0);
  };
  input.record(10, map(0x1000).padded("/usr/lib64/libc-2.17.so").raw(trailer(5, 1)).str(), 2);
  input.record(10, map(0x2000).padded("[vdso]").raw(trailer(5, 1)).str(), 2);
  input.record(10, map(0x3000).u32(7).u32(2).padded("/usr/bin/x").raw(trailer(5, 1)).str(), 2);
  input.record(9, sample(1, 5, 2), 2);
  const TempDir dir;
  const auto opened = File::open(dir.write("perf.data", input.file()));
  ASSERT_TRUE(opened);
  RecordCursor cursor(*opened, {});
  ASSERT_TRUE(cursor.next_sample());
  for (const auto& [address, name] : {std::pair(0x1004, "/usr/lib64/libc-2.17.so"),
                                      std::pair(0x2004, "[vdso]"), std::pair(0x3004, "/usr/bin/x")})
    EXPECT_EQ(cursor.maps().find(address, false).dso->name, name);
  EXPECT_FALSE(cursor.next_sample());
  const SampleTally tally = cursor.tally();
  EXPECT_TRUE(tally.warnings.empty());
  ASSERT_EQ(tally.gaps.size(), 1u);
  EXPECT_TRUE(tally.gaps[0].starts_with("2 MMAP2 records lack protection and flags"))
      << tally.gaps[0];
}

TEST_P(AnyRecording, AnEventIsInOneGroup) {
  constexpr std::uint64_t kCounters = 1 << 19;  // PERF_SAMPLE_BRANCH_COUNTERS
  PerfFile input(GetParam());
  for (std::uint64_t id = 1; id <= 4; ++id)
    input.event({.sample_type = kType, .branch_type = id == 2 ? kCounters : 0, .ids = {id}});
  BytesOut groups = out().u32(2);
  for (const std::uint32_t leader : {0u, 1u}) groups.string("{anon_group}").u32(leader).u32(3);
  input.feature(17, groups.str());
  const TempDir dir;
  const auto opened = File::open(dir.write("perf.data", input.file()));
  ASSERT_TRUE(opened);
  std::string with_counters;
  for (const perf_format::Event& event : opened->events.list())
    with_counters += event.branch_counters ? '1' : '0';
  EXPECT_EQ(with_counters, "1110");  // the second group would have more events than are left
}

TEST_P(AnyRecording, AStreamThatBreaksOffKeepsWhatCameBefore) {
  const std::string kEnds[] = {out().u32(9).u16(0).u16(0).str(), out().u32(9).u16(0).u16(7).str(),
                               out().u32(9).u16(0).u16(100).str(), "1234567",
                               out().u32(71).u16(0).u16(16).u64(UINT64_MAX).str()};
  for (const std::string& end : kEnds) {
    PerfFile input = file();
    input.record(9, sample(1, 5, 10)).raw(end);
    const Read got = read(input.file());
    EXPECT_EQ(got.samples, ":5@10/0 ");
    EXPECT_EQ(got.tally.warnings.size(), 1u);
  }
}

TEST_P(AnyRecording, AnUnterminatedFileGivesItsSamples) {
  PerfFile input = file();
  input.unterminated = true;
  input.record(9, sample(1, 5, 10)).record(9, sample(2, 5, 20));
  EXPECT_EQ(read(input.file()).samples, ":5@10/0 :5@20/1 ");
}

TEST_P(AnyRecording, AuxtraceDataAreSkipped) {
  PerfFile input = file();
  input.record(71, out().u64(16).pad(32).str())
      .raw(std::string(16, '\xff'))
      .record(9, sample(1, 5, 10));
  EXPECT_EQ(read(input.file()).samples, ":5@10/0 ");
}

TEST_P(AnyRecording, LostSamplesAreSummedUp) {
  PerfFile input = file();
  input.record(2, out().u64(1).u64(7).raw(trailer(1, 1)).str());
  input.record(13, out().u64(5).raw(trailer(1, 2)).str());
  constexpr std::uint16_t kByBpf = 1
                                   << 15;  // PERF_RECORD_MISC_LOST_SAMPLES_BPF: left out on purpose
  input.record(13, out().u64(9).raw(trailer(1, 3)).str(), kByBpf);
  EXPECT_EQ(read(input.file()).tally.lost, 12u);
}

// The kernel counts a sample that finds no room in rb->lost and, since 6.0, in event->lost_samples
// (__perf_output_begin of kernel/events/ring_buffer.c). LOST has the former when there is room
// again, and names the event that is written then; LOST_SAMPLES without a time has the latter
// (record__read_lost_samples of builtin-record.c); with a time it is of perf_log_lost_samples.
TEST_P(AnyRecording, ALossThatTwoRecordsHaveCountsOnce) {
  constexpr std::uint64_t kFormatLost = 16;
  const struct {
    std::uint64_t read_format, by_buffer, by_hardware, of_first, of_second, lost;
    std::vector<std::uint64_t> of_events;
  } cases[] = {
      {kFormatLost, 7, 0, 4, 3, 7, {4, 3}},  {kFormatLost, 7, 0, 4, 6, 10, {4, 6}},
      {kFormatLost, 7, 0, 0, 0, 7, {7, 0}},  {kFormatLost, 0, 0, 4, 3, 7, {4, 3}},
      {kFormatLost, 7, 5, 4, 3, 12, {4, 8}}, {kFormatLost, 7, 5, 0, 0, 12, {7, 5}},
      {0, 7, 5, 0, 0, 12, {7, 5}},           {0, 7, 0, 4, 0, 11, {11, 0}},
  };
  for (const auto& one : cases) {
    AttrSpec first = kFirst, second = kSecond;
    first.read_format = second.read_format = one.read_format;
    PerfFile input = PerfFile(GetParam()).event(first).event(second);
    const auto loss_of_event = [&](std::uint64_t id, std::uint64_t time, std::uint64_t lost) {
      if (lost > 0) input.record(13, out().u64(lost).u32(0).u32(0).u64(time).u64(id).str());
    };
    if (one.by_buffer > 0)
      input.record(2, out().u64(1).u64(one.by_buffer).raw(trailer(1, 1)).str());
    loss_of_event(2, 3, one.by_hardware);
    loss_of_event(1, 0, one.of_first);
    loss_of_event(2, 0, one.of_second);
    const TempDir dir;
    const auto file = File::open(dir.write("perf.data", input.file()));
    ASSERT_TRUE(file);
    RecordCursor cursor(*file, {});
    perf_format::LostSamples sums(file->events), twice(file->events);
    while (cursor.next())
      if (!cursor.is_sample()) sums.add(cursor.loss());
    EXPECT_EQ(cursor.tally().lost, one.lost);
    EXPECT_EQ(sums.all(), one.lost);
    EXPECT_EQ((std::vector{sums.of_event(0), sums.of_event(1)}), one.of_events);
    (twice += sums) += sums;
    EXPECT_EQ(twice.all(), 2 * one.lost);
  }
}

TEST_P(AnyRecording, APipeNamesItsEventsByUpdateRecords) {
  const TempDir dir;
  PerfFile input = file();
  input.record(78, out().u64(2).u64(2).padded("my event").str());
  const auto opened = File::open(dir.write("pipe", input.pipe()));
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->events.list()[1].name, "my event");
  EXPECT_FALSE(opened->events.list()[0].name);
}

TEST_P(AnyRecording, FilesOfADirectoryAreMergedByTime) {
  const TempDir dir;
  PerfFile main = file(), one(GetParam()), two(GetParam());
  main.feature(24, out().u64(1).str()).record(68, "");
  one.record(9, sample(1, 5, 10)).record(9, sample(1, 5, 30));
  two.record(9, sample(2, 6, 20)).raw("123");
  dir.write("data", main.file());
  dir.write("data.0", one.records());
  dir.write("data.1", two.records());
  dir.write("data.2", "");
  const Read got = read_path(dir.path());
  EXPECT_EQ(got.samples, ":5@10/0 :6@20/1 :5@30/0 ");
  EXPECT_EQ(got.tally.warnings.size(), 1u);
}

TEST(RecordCursor, WithoutTimesTheOrderOfTheFileStays) {
  PerfFile input;
  input.event({.sample_type = perf_format::kSampleTid});
  for (std::uint32_t tid : {9u, 3u, 5u}) input.record(9, BytesOut().u32(tid).u32(tid).str());
  const std::string all_ones = std::to_string(UINT64_MAX);
  EXPECT_EQ(read(input.file()).samples,
            ":9@" + all_ones + "/0 :3@" + all_ones + "/0 :5@" + all_ones + "/0 ");
}

// More than is kept in memory, without a round: backwards, so that nothing can be delivered early.
TEST(Queue, IsInOrderHoweverLongItGets) {
  constexpr std::uint64_t kCount = 540'000;
  PerfFile input = PerfFile().event(kFirst);
  for (std::uint64_t time = kCount; time > 0; --time)
    input.record(9, BytesOut().u64(1).u32(5).u32(5).u64(time).str());
  const TempDir dir;
  for (const std::string& bytes : {input.file(), input.pipe()}) {
    const auto file = File::open(dir.write("perf.data", bytes));
    ASSERT_TRUE(file);
    RecordCursor cursor(*file, {});
    std::uint64_t count = 0;
    while (cursor.next_sample() && cursor.sample().time == count + 1) ++count;
    EXPECT_EQ(count, kCount);
    EXPECT_FALSE(warns_of(cursor.tally(), "late"));
    EXPECT_EQ(cursor.tally().late, 0u);
  }
}

TEST(Queue, WithoutRoomOnDiskOrderIsLostButNoRecord) {
  PerfFile input = PerfFile().event(kFirst);
  std::set<std::uint64_t> times, seen;
  for (std::uint64_t time = 300; time > 0; --time) {
    input.record(9, BytesOut().u64(1).u32(5).u32(5).u64(time).str());
    times.insert(time);
  }
  const TempDir dir;
  const auto file = File::open(dir.write("perf.data", input.file()));
  ASSERT_TRUE(file);
  const test::Environment nowhere("TMPDIR", "/nonexistent");
  CursorOptions more;
  more.waiting_records = 64;
  RecordCursor cursor(*file, {}, more);
  while (cursor.next_sample()) EXPECT_TRUE(seen.insert(cursor.sample().time).second);
  EXPECT_EQ(seen, times);
  const SampleTally tally = cursor.tally();
  EXPECT_TRUE(warns_of(tally, "records came too late"));
  EXPECT_GT(tally.late, 1u);
  ASSERT_FALSE(tally.warnings.empty());
  EXPECT_NE(tally.warnings[0].find("there is no room for all records that wait"), std::string::npos)
      << tally.warnings[0];
}

TEST(File, WhatIsNotThereIsNotFound) {
  const auto file = File::open("/nonexistent/perf.data");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, Errc::not_found);
}

#ifdef HAVE_ZSTD
TEST_P(AnyRecording, CompressedRecordsContinueAcrossRecords) {
  PerfFile inner(GetParam());
  std::string expected;
  for (std::uint64_t time = 1; time <= 20000; ++time) {
    inner.record(9, sample(1, 5, time));
    expected += fmt::format(":5@{}/0 ", time);
  }
  const std::string& plain = inner.records();
  const std::size_t cut = plain.size() / 2 + 5;  // within a record
  const auto packed = pack({plain.substr(0, cut), plain.substr(cut)});
  PerfFile first = file(), second = file();
  for (const std::string& piece : packed) {
    first.record(81, piece);
    const std::size_t padding = (8 - piece.size() % 8) % 8;
    second.record(83, out().u64(piece.size()).raw(piece).pad(padding).str());
  }
  for (const PerfFile& input : {first, second}) {
    EXPECT_EQ(read(input.file()).samples, expected);
    EXPECT_EQ(read(input.pipe()).samples, expected);
  }
}

// Megabytes of nothing in a few bytes: what follows in the file is read nevertheless.
TEST_P(AnyRecording, WhatUnpacksToFarMoreThanRecordingsDoIsLeft) {
  std::string rounds = PerfFile(GetParam()).record(68, "").records();
  while (rounds.size() < 64 << 20) rounds += std::string(rounds);
  PerfFile input = file();
  for (const std::string& piece : pack({rounds})) {
    ASSERT_LT(piece.size(), 1u << 14);
    input.record(81, piece);
  }
  input.record(9, sample(1, 5, 1));
  const Read got = read(input.file());
  EXPECT_EQ(got.samples, ":5@1/0 ");
  ASSERT_EQ(got.tally.warnings.size(), 1u);
  EXPECT_NE(got.tally.warnings[0].find("times what is packed"), std::string::npos);
  const auto rounds_read =
      std::ranges::find(got.tally.records, 68u, [](auto& row) { return row.first; });
  ASSERT_NE(rounds_read, got.tally.records.end());
  EXPECT_LT(rounds_read->second, 4u << 20);
}

TEST_P(AnyRecording, DataThatCanNotBeUnpackedLoseOnlyThemselves) {
  PerfFile inner(GetParam());
  inner.record(9, sample(1, 5, 10));
  const auto packed = pack({inner.records()});
  PerfFile input = file();
  input.record(81, packed[0]).record(81, "rubbish").record(81, "").record(9, sample(2, 5, 20));
  const Read got = read(input.file());
  EXPECT_EQ(got.samples, ":5@10/0 :5@20/1 ");
  EXPECT_EQ(got.tally.warnings.size(), 1u);
  // Salvage goes on with the next frame.
  PerfFile later(GetParam());
  later.record(9, sample(1, 5, 30));
  input.record(81, pack({later.records()})[0]);
  EXPECT_EQ(read(input.file()).samples, got.samples);
  EXPECT_EQ(read(input.file(), {.salvage = true}).samples, ":5@10/0 :5@20/1 :5@30/0 ");
}
#endif

}  // namespace
}  // namespace evname::session
