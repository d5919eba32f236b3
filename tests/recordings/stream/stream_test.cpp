// Streams: what breaks off or goes wrong inside them, pipes that are read as they come,
// directories.

#include <sys/ioctl.h>
#include <unistd.h>

#include <thread>

#include "recordings/session/recording_fixture.hpp"

namespace evname::session {
namespace {

class AnyStream : public AnyRecording {};
INSTANTIATE_TEST_SUITE_P(Stream, AnyStream, testing::Values(std::endian::little, std::endian::big));

/// Reads `bytes` from a pipe that yields them `piece` at a time, or more if `one_by_one` is false.
Read read_from_pipe(const std::string& bytes, std::size_t piece, PassOptions options = {},
                    bool one_by_one = false) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  std::thread writer([&] {
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      const std::size_t size = std::min(piece, bytes.size() - at);
      if (::write(ends[1], bytes.data() + at, size) < 0) break;
      for (int left = 1; one_by_one && left > 0 && ::ioctl(ends[1], FIONREAD, &left) == 0;)
        std::this_thread::yield();
    }
    ::close(ends[1]);
  });
  const Read got = read_path(fmt::format("/dev/fd/{}", ends[0]), options);
  char rest[4096];
  while (::read(ends[0], rest, sizeof rest) > 0) {
  }
  ::close(ends[0]);
  writer.join();
  return got;
}

TEST_P(AnyStream, APipeIsReadWhateverPiecesItComesIn) {
  PerfFile input = file();
  std::string expected;
  for (std::uint64_t time = 1; time <= 300; ++time) {
    input.record(9, sample(1 + time % 2, 5, time));
    expected += fmt::format(":5@{}/{} ", time, time % 2);
    if (time % 50 == 0) input.record(68, "");
  }
  for (std::size_t piece : {1u, 7u, 4096u, 1u << 20}) {
    const Read got = read_from_pipe(input.pipe(), piece);
    EXPECT_EQ(got.samples, expected) << "pieces of " << piece;
    EXPECT_TRUE(got.tally.warnings.empty());
  }
}

TEST_P(AnyStream, DataBehindARecordOfAPipeAreSkippedHoweverLong) {
  PerfFile input = file();
  const std::string data(600 << 10, '\xff');
  input.record(9, sample(1, 5, 1));
  input.record(71, out().u64(data.size()).pad(32).str()).raw(data).record(9, sample(1, 5, 2));
  EXPECT_EQ(read_from_pipe(input.pipe(), 4096).samples, ":5@1/0 :5@2/0 ");
  PerfFile first = file();
  first.record(71, out().u64(data.size()).pad(32).str()).raw(data).record(9, sample(1, 5, 2));
  EXPECT_EQ(read_from_pipe(first.pipe(), 4096).samples, ":5@2/0 ");
}

TEST_P(AnyStream, APipeWhoseEventsComeLastIsReadAsAWhole) {
  PerfFile data(GetParam());
  data.record(9, sample(2, 5, 1));
  const std::string head = file().pipe();
  const std::string bytes = head.substr(0, 16) + data.records() + head.substr(16);
  EXPECT_EQ(read_from_pipe(bytes, 64).samples, ":5@1/1 ");
}

TEST_P(AnyStream, AFileThatComesThroughAPipeIsReadAsAWhole) {
  PerfFile input = file();
  input.feature(3, out().string("host").str()).record(9, sample(2, 5, 1));
  EXPECT_EQ(read_from_pipe(input.file(), 64).samples, ":5@1/1 ");
}

TEST_P(AnyStream, APipeIsReadOnce) {
  const TempDir dir;
  PerfFile input = file();
  input.record(9, sample(2, 5, 1));
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string bytes = input.pipe();
  ASSERT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  ::close(ends[1]);
  const auto opened = File::open(fmt::format("/dev/fd/{}", ends[0]));
  ASSERT_TRUE(opened);
  std::string samples;
  for (const bool is_first : {true, false}) {
    RecordCursor cursor(*opened, {});
    while (cursor.next_sample()) samples += note(*opened, cursor);
    EXPECT_EQ(cursor.tally().warnings.empty(), is_first);
  }
  EXPECT_EQ(samples, ":5@1/1 ");
  ::close(ends[0]);
}

TEST_P(AnyStream, NamesThatComeAfterSamplesOfAPipeAreToldOf) {
  PerfFile input = file();
  input.record(9, sample(2, 5, 1)).raw(std::string(128 << 10, '\0'));
  const std::string name = out().u64(2).u64(2).padded("my event").str();
  PerfFile late = file();
  for (int i = 0; i < 5000; ++i) late.record(9, sample(2, 5, 1));  // more than is read ahead
  for (const auto& [type, shown, body] : {std::tuple{78u, "EVENT_UPDATE", name},
                                          {67u, "BUILD_ID", out().pad(28).padded("/lib").str()}}) {
    PerfFile one = late;
    one.record(type, body);
    const Read got = read_from_pipe(one.pipe(), 1);
    ASSERT_EQ(got.tally.warnings.size(), 1u);
    EXPECT_NE(got.tally.warnings[0].find(fmt::format("{} ({}) record comes after", shown, type)),
              std::string::npos);
  }
}

TEST_P(AnyStream, SalvageGoesOnBehindARecordWithoutSize) {
  PerfFile input = file(), packed(GetParam());
  input.record(9, sample(1, 5, 10)).raw(out().u32(9).u16(0).u16(3).str());
  input.raw(out().u64(UINT64_MAX).u64(0).str());
  for (std::uint64_t time = 20; time < 25; ++time) input.record(9, sample(1, 5, time));
  EXPECT_EQ(read(input.file()).samples, ":5@10/0 ");
  EXPECT_EQ(read_from_pipe(input.pipe(), 1 << 16).samples, ":5@10/0 ");
  const PassOptions salvage{.salvage = true};
  const std::string expected = ":5@10/0 :5@20/0 :5@21/0 :5@22/0 :5@23/0 :5@24/0 ";
  for (const Read& got : {read(input.file(), salvage), read(input.pipe(), salvage),
                          read_from_pipe(input.pipe(), 1 << 16, salvage)}) {
    EXPECT_EQ(got.samples, expected);
    EXPECT_EQ(got.tally.warnings.size(), 1u);
  }
}

// The fault is among the first bytes of the pipe, which are read before the others.
TEST_P(AnyStream, AFaultEndsAPipeHoweverMuchFollows) {
  PerfFile input = file();
  input.record(9, sample(1, 5, 10)).raw(std::string(80'000, '\0'));
  const std::string begin = ":5@10/0 ";
  std::string all = begin;
  for (std::uint64_t time = 20; time < 3020; ++time) {
    input.record(9, sample(1, 5, time));
    all += fmt::format(":5@{}/0 ", time);
  }
  for (const std::size_t piece : {1u << 12, 1u << 16, 1u << 20, 4093u, 65'521u})
    for (const bool salvage : {false, true}) {
      const Read got = read_from_pipe(input.pipe(), piece, {.salvage = salvage}, piece % 8 != 0);
      ASSERT_TRUE(got.samples.starts_with(begin)) << piece;
      const std::string more = got.samples.substr(begin.size());
      EXPECT_EQ(more.empty(), !salvage) << piece;
      EXPECT_TRUE(all.ends_with(more));
      EXPECT_TRUE(!salvage || more.size() > all.size() - 100) << piece;  // up to the first few
      ASSERT_FALSE(got.tally.warnings.empty());
      EXPECT_NE(got.tally.warnings[0].find(salvage ? "searching for the next record"
                                                   : "nothing after it is read"),
                std::string::npos)
          << got.tally.warnings[0];
    }
}

TEST_P(AnyStream, FileOrderIsThatOfTheRecords) {
  PerfFile input = file();
  for (std::uint64_t time : {30, 10, 20}) input.record(9, sample(1, 5, time));
  EXPECT_EQ(read(input.file(), {.file_order = true}).samples, ":5@30/0 :5@10/0 :5@20/0 ");
}

TEST_P(AnyStream, RecordsAreCountedByType) {
  PerfFile input = file();
  input.record(9, sample(1, 5, 1)).record(9, sample(99, 5, 2)).record(68, "").record(200, "");
  using Counts = std::vector<std::pair<std::uint32_t, std::uint64_t>>;
  EXPECT_EQ(read(input.file()).tally.records,
            (Counts{{9, 2}, {68, 1}, {perf_format::RecordCounts::kTypes, 1}}));
}

TEST_P(AnyStream, AFilesNamesByUpdateRecordsHoldIfTheyComeBeforeTheSamples) {
  const TempDir dir;
  PerfFile input = file();
  input.record(78, out().u64(2).u64(2).padded("my event").str()).record(9, sample(1, 5, 1));
  const auto opened = File::open(dir.write("perf.data", input.file()));
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->events.list()[1].name, "my event");
}

// As perf, which takes the only event whatever the id is (evlist__id2evsel).
TEST_P(AnyStream, ANameWithAnUnknownIdIsTheOnlyEvents) {
  for (const std::size_t events : {1u, 2u}) {
    PerfFile input(GetParam());
    for (std::uint64_t id = 1; id <= events; ++id)
      input.event({.type = 1, .config = 2, .sample_type = kType, .ids = {id}});
    input.record(78, out().u64(2).u64(77).padded("my event").str());
    const TempDir dir;
    const auto opened = File::open(dir.write("perf.data", input.file()));
    ASSERT_TRUE(opened);
    EXPECT_EQ(opened->events.list()[0].name == "my event", events == 1);
  }
}

// Long enough that no file is read as a whole before the others begin.
TEST_P(AnyStream, LongFilesOfADirectoryAreMergedByTime) {
  const TempDir dir;
  PerfFile main = file(),
           parts[3] = {PerfFile(GetParam()), PerfFile(GetParam()), PerfFile(GetParam())};
  main.feature(24, out().u64(1).str());
  constexpr std::uint64_t kSamples = 120'000;
  for (std::uint64_t i = 0; i < kSamples; ++i)  // pairs within a file are not in order
    parts[i % 3].record(9, sample(1, 5, 1 + (i / 6 * 6) + (5 - i % 6)));
  dir.write("data", main.file());
  for (int i = 0; i < 3; ++i) dir.write(fmt::format("data.{}", i), parts[i].records());
  std::string expected;
  for (std::uint64_t time = 1; time <= kSamples; ++time) expected += fmt::format(":5@{}/0 ", time);
  const Read got = read_path(dir.path());
  EXPECT_TRUE(got.samples == expected);
  EXPECT_TRUE(got.tally.warnings.empty());
  // A fault in one of them changes nothing about the order of what follows.
  dir.write("data.1", std::string(16, '\0') + parts[1].records());
  const Read salvaged = read_path(dir.path(), {.salvage = true});
  EXPECT_TRUE(salvaged.samples == expected);
  EXPECT_EQ(salvaged.tally.warnings.size(), 1u);
}

}  // namespace
}  // namespace evname::session
