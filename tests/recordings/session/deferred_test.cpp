// Callchains whose user part comes later, and what perf measures while threads are off their CPU.

#include <unistd.h>

#include <utility>

#include "recordings/session/processes.hpp"
#include "recordings/session/recording_fixture.hpp"

namespace evname::session {
namespace {

constexpr std::uint64_t kUserMark = -512, kKernelMark = -128, kDeferred = -640;
constexpr int kDefers = 38, kDefersOutput = 39;

/// Notes each sample as "tid@time:chain ", the chain in hex without its marks.
std::string note_chains(RecordCursor& cursor, std::endian order) {
  std::string text;
  while (cursor.next_sample()) {
    const perf_format::SampleRecord& sample = cursor.sample();
    text += fmt::format("{}@{}:", sample.tid, sample.time);
    for (std::size_t at = 0; at < sample.callchain.size(); at += 8) {
      const auto word = load<std::uint64_t>(sample.callchain.data() + at, order);
      if (word < static_cast<std::uint64_t>(-4095)) text += fmt::format("{:x},", word);
    }
    text += ' ';
  }
  return text;
}

struct Told {
  std::string samples;
  std::vector<std::string> warnings;
};

Told read_chains(const std::string& bytes, bool file_order = false) {
  const TempDir dir;
  const auto file = File::open(dir.write("perf.data", bytes));
  EXPECT_TRUE(file) << file.error().text();
  if (!file) return {};
  RecordCursor cursor(*file, {.file_order = file_order});
  const std::string samples = note_chains(cursor, file->header.order);
  return {samples, cursor.tally().warnings};
}

class DeferredChain : public testing::TestWithParam<std::endian> {
 protected:
  PerfFile file() const {
    PerfFile file(GetParam());
    file.event({.sample_type = perf_format::kSampleTid | perf_format::kSampleTime |
                               perf_format::kSampleCallchain,
                .flags = {18, kDefers, kDefersOutput},
                .size = 144});
    return file;
  }
  std::string sample(std::uint32_t tid, std::uint64_t time,
                     std::vector<std::uint64_t> chain) const {
    BytesOut out(GetParam());
    out.u32(1).u32(tid).u64(time).u64(chain.size());
    for (const std::uint64_t word : chain) out.u64(word);
    return out.str();
  }
  std::string rest(std::uint32_t tid, std::uint64_t time, std::uint64_t cookie,
                   std::vector<std::uint64_t> chain) const {
    BytesOut out(GetParam());
    out.u64(cookie).u64(chain.size());
    for (const std::uint64_t word : chain) out.u64(word);
    return out.u32(1).u32(tid).u64(time).str();
  }
};
INSTANTIATE_TEST_SUITE_P(OfEitherByteOrder, DeferredChain,
                         testing::Values(std::endian::little, std::endian::big));

TEST_P(DeferredChain, IsCompletedByTheRecordThatFollows) {
  PerfFile recording = file();
  recording.record(9, sample(5, 1, {kKernelMark, 0x10, kDeferred, 77}));
  recording.record(9, sample(5, 2, {kKernelMark, 0x11, kDeferred, 77}));
  recording.record(22, rest(5, 3, 77, {kUserMark, 0x20, 0x21}));
  const Told told = read_chains(recording.file());
  EXPECT_EQ(told.samples, "5@1:10,20,21, 5@2:11,20,21, ");
  EXPECT_TRUE(told.warnings.empty());
}

// perf hands a sample out when its second part has come, and so late.
TEST_P(DeferredChain, StaysWhereItsTimeIs) {
  PerfFile recording = file();
  recording.record(9, sample(5, 1, {kKernelMark, 0x10, kDeferred, 7}));
  recording.record(9, sample(6, 2, {kKernelMark, 0x11, kDeferred, 7}));
  recording.record(9, sample(8, 3, {kUserMark, 0x30}));
  recording.record(22, rest(6, 4, 7, {kUserMark, 0x21}));
  recording.record(22, rest(5, 5, 7, {kUserMark, 0x20}));
  for (const bool file_order : {false, true})
    EXPECT_EQ(read_chains(recording.file(), file_order).samples, "5@1:10,20, 6@2:11,21, 8@3:30, ");
}

TEST_P(DeferredChain, OfACookieThatComesAgainIsTheNextOne) {
  PerfFile recording = file();
  recording.record(9, sample(5, 1, {kKernelMark, 0x10, kDeferred, 7}));
  recording.record(22, rest(5, 2, 7, {kUserMark, 0x20}));
  recording.record(9, sample(5, 3, {kKernelMark, 0x11, kDeferred, 7}));
  recording.record(22, rest(5, 4, 7, {kUserMark, 0x21}));
  EXPECT_EQ(read_chains(recording.file()).samples, "5@1:10,20, 5@3:11,21, ");
}

TEST_P(DeferredChain, WithoutItsRecordHasNoCookieAndIsTold) {
  PerfFile recording = file();
  recording.record(9, sample(5, 1, {kKernelMark, 0x10, kDeferred, 7}));
  recording.record(22, rest(5, 2, 8, {kUserMark, 0x20}));
  recording.record(22, rest(6, 3, 7, {kUserMark, 0x21}));
  recording.record(22, rest(5, 0, 7, {kUserMark, 0x22}));  // before the sample
  recording.record(9, sample(5, 4, {kDeferred}));
  const Told told = read_chains(recording.file());
  EXPECT_EQ(told.samples, "5@1:10, 5@4: ");
  ASSERT_EQ(told.warnings.size(), 1u);
  EXPECT_NE(told.warnings[0].find("1 sample lacks the user part"), std::string::npos);
}

TEST_P(DeferredChain, OfAnEventThatDoesNotDeferIsWhatItSays) {
  PerfFile recording(GetParam());
  recording.event({.sample_type = perf_format::kSampleTid | perf_format::kSampleTime |
                                  perf_format::kSampleCallchain,
                   .size = 144});
  recording.record(9, sample(5, 1, {kKernelMark, 0x10, kDeferred, 7}));
  recording.record(22, rest(5, 2, 7, {kUserMark, 0x20}));
  EXPECT_EQ(read_chains(recording.file()).samples, "5@1:10,7, ");
}

TEST_P(DeferredChain, ThatClaimsMoreThanThereIsIsLeftOut) {
  PerfFile recording = file();
  recording.record(9, sample(5, 1, {kKernelMark, 0x10, kDeferred, 7}));
  for (const std::uint64_t count : {2ull, 1ull << 61, ~0ull})
    recording.record(22,
                     BytesOut(GetParam()).u64(7).u64(count).u64(0x20).u32(1).u32(5).u64(2).str());
  EXPECT_EQ(read_chains(recording.file()).samples, "5@1:10, ");
}

// The sample may be taken while its thread executes another program: perf 7.3 resolves it when its
// second part has come.
TEST_P(DeferredChain, IsOfWhatWasMappedWhenItsRecordCame) {
  PerfFile recording = file();
  const auto map = [&](std::uint32_t pid, std::uint64_t time, const char* name) {
    BytesOut out(GetParam());
    out.u32(pid).u32(pid).u64(0x10000).u64(0x1000).u64(0).padded(name);
    recording.record(1, out.u32(pid).u32(5).u64(time).str(), 2);
  };
  map(1, 1, "/bin/old");
  recording.record(9, sample(5, 2, {kKernelMark, 0x10, kDeferred, 7}));
  recording.record(9, sample(5, 3, {kKernelMark, 0x10, kDeferred, 7}));
  recording.record(9, sample(6, 4, {kUserMark, 0x10010}));
  map(2, 5, "/bin/other");
  map(1, 6, "/bin/new");
  recording.record(22, rest(5, 7, 7, {kUserMark, 0x10010}));
  map(1, 8, "/bin/last");
  recording.record(9, sample(5, 9, {kDeferred, 8}));
  recording.record(22, rest(5, 10, 8, {kUserMark, 0x10010}));
  recording.record(9, sample(5, 11, {kDeferred, 9}));
  map(1, 12, "/bin/same");
  recording.record(22, rest(5, 12, 9, {kUserMark, 0x10010}));
  const TempDir dir;
  const auto opened = File::open(dir.write("perf.data", recording.file()));
  ASSERT_TRUE(opened) << opened.error().text();
  RecordCursor cursor(*opened, {});
  std::string text;
  while (cursor.next_sample()) {
    const MappedRange range = cursor.maps().find(0x10010, false);
    text += fmt::format("{}:{} ", cursor.sample().time, range.dso ? range.dso->name : "none");
  }
  EXPECT_EQ(text, "2:/bin/new 3:/bin/new 4:/bin/old 9:/bin/last 11:/bin/same ");
}

// Through a pipe the second part comes after the sample has been read.
TEST_P(DeferredChain, OfAPipeIsCompletedToo) {
  PerfFile recording = file();
  recording.record(9, sample(5, 1, {kKernelMark, 0x10, kDeferred, 7}));
  recording.record(9, sample(6, 2, {kUserMark, 0x30}));
  recording.record(22, rest(5, 3, 7, {kUserMark, 0x20}));
  const std::string bytes = recording.pipe();
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  ::close(ends[1]);
  const auto opened = File::open(fmt::format("/dev/fd/{}", ends[0]));
  ASSERT_TRUE(opened) << opened.error().text();
  RecordCursor cursor(*opened, {});
  EXPECT_EQ(note_chains(cursor, GetParam()), "5@1:10,20, 6@2:30, ");
  ::close(ends[0]);
}

#ifdef HAVE_ZSTD
// Unpacked bytes go away, so the reader copies the parts that come later to a file. It does so more
// than once here: 3,000 parts of 512 bytes are more than a megabyte.
TEST_P(DeferredChain, OfCompressedRecordsIsCompletedHoweverManyThereAre) {
  PerfFile inner(GetParam());
  std::string expected;
  for (std::uint64_t i = 1; i <= 3000; ++i) {
    inner.record(9, sample(5, 2 * i, {kDeferred, i}));
    std::vector<std::uint64_t> chain = {kUserMark};
    expected += fmt::format("5@{}:", 2 * i);
    for (std::uint64_t word = 1; word < 64; ++word) {
      chain.push_back(i << 8 | word);
      expected += fmt::format("{:x},", chain.back());
    }
    expected += ' ';
    inner.record(22, rest(5, 2 * i + 1, i, chain));
  }
  std::vector<std::string> plain;  // as much as fits into a record
  for (std::size_t at = 0; at < inner.records().size(); at += 32768)
    plain.push_back(inner.records().substr(at, 32768));
  PerfFile recording = file();
  for (const std::string& piece : pack(plain)) {
    const std::string size_and_piece =
        BytesOut(GetParam()).u64(piece.size()).raw(piece).pad((8 - piece.size() % 8) % 8).str();
    recording.record(83, size_and_piece);
  }
  const Told told = read_chains(recording.file());
  EXPECT_EQ(told.warnings, std::vector<std::string>());
  EXPECT_TRUE(told.samples == expected) << told.samples.substr(0, 1000);
}
#endif

/// A name, and the other parts.
std::string event_desc(const AttrSpec& spec, std::string_view name, std::endian order) {
  return BytesOut(order)
      .u32(1)
      .u32(spec.size)
      .raw(test::attr_bytes(spec, order))
      .u32(0)
      .string(name)
      .str();
}

const AttrSpec kOffCpu{.type = 1,
                       .config = 10,
                       .sample_type = perf_format::kSampleTid | perf_format::kSampleTime |
                                      perf_format::kSamplePeriod | perf_format::kSampleRaw,
                       .size = 144};

/// Notes what off-CPU samples say of themselves.
std::pair<std::string, SampleTally> read_off_cpu(const std::string& bytes) {
  const TempDir dir;
  const auto file = File::open(dir.write("perf.data", bytes));
  EXPECT_TRUE(file);
  RecordCursor cursor(*file, {});
  std::string text;
  while (cursor.next_sample()) {
    const perf_format::SampleRecord& sample = cursor.sample();
    text += fmt::format("{}/{} {:x} {} {} {} ", sample.pid, sample.tid, sample.ip, sample.period,
                        sample.callchain.size() / 8, sample.cgroup);
  }
  return {text, cursor.tally()};
}

TEST_P(DeferredChain, OffCpuSamplesAreOfTheThreadInTheirRawData) {
  BytesOut raw(GetParam());
  raw.u32(5).u32(6).u64(1'000'000).u64(3).u64(kUserMark).u64(0x1234).u64(0x5678).u64(42);
  BytesOut body(GetParam());
  body.u32(90).u32(91).u64(1).u64(1).u32(static_cast<std::uint32_t>(raw.size() + 4));
  body.raw(raw.str()).pad(4);
  for (const char* name : {"offcpu-time", "bpf-output"}) {
    PerfFile recording(GetParam());
    recording.event(kOffCpu).feature(12, event_desc(kOffCpu, name, GetParam()));
    recording.record(9, body.str());
    const bool is_off_cpu = std::string_view(name) == "offcpu-time";
    EXPECT_EQ(read_off_cpu(recording.file()).first,
              is_off_cpu ? "5/6 1234 1000000 3 42 " : "90/91 ffffffffffffffff 1 0 0 ");
  }
}

// The first word of the chain is a marker, the second the instruction.
TEST_P(DeferredChain, OffCpuSamplesHaveTheInstructionThatTheirChainBeginsWith) {
  const std::vector<std::uint64_t> words = {kUserMark, 0x1234, 0x5678};
  const char* const expected[] = {"5/6 ffffffffffffffff 9 0 42 ", "5/6 ffffffffffffffff 9 1 42 ",
                                  "5/6 1234 9 2 42 ", "5/6 1234 9 3 42 "};
  for (std::size_t length = 0; length <= words.size(); ++length) {
    BytesOut raw(GetParam());
    raw.u32(5).u32(6).u64(9).u64(length);
    for (std::size_t i = 0; i < length; ++i) raw.u64(words[i]);
    raw.u64(42);
    PerfFile recording(GetParam());
    recording.event(kOffCpu).feature(12, event_desc(kOffCpu, "offcpu-time", GetParam()));
    BytesOut body(GetParam());
    body.u32(90).u32(91).u64(1).u64(1).u32(static_cast<std::uint32_t>(raw.size() + 4));
    recording.record(9, body.raw(raw.str()).pad(4).str());
    EXPECT_EQ(read_off_cpu(recording.file()).first, expected[length]) << length;
  }
}

TEST_P(DeferredChain, OffCpuSamplesThatAreCutOffAreMalformed) {
  for (const std::uint64_t count : {2ull, 1ull << 61}) {
    BytesOut raw(GetParam());
    raw.u32(5).u32(6).u64(1'000'000).u64(count).u64(kUserMark).u64(0x1234);  // no cgroup
    PerfFile recording(GetParam());
    recording.event(kOffCpu).feature(12, event_desc(kOffCpu, "offcpu-time", GetParam()));
    recording.record(9, BytesOut(GetParam())
                            .u32(90)
                            .u32(91)
                            .u64(1)
                            .u64(1)
                            .u32(static_cast<std::uint32_t>(raw.size() + 4))
                            .raw(raw.str())
                            .pad(4)
                            .str());
    const auto [samples, tally] = read_off_cpu(recording.file());
    EXPECT_EQ(samples, "");
    EXPECT_EQ(tally.malformed, 1u);
    ASSERT_FALSE(tally.warnings.empty());
    EXPECT_NE(tally.warnings[0].find("off-CPU data"), std::string::npos);
  }
}

TEST(Cgroups, HaveTheFirstPathThatARecordTells) {
  Cgroups cgroups;
  for (const char* path : {"/user.slice", "/other"}) {
    const std::string record = BytesOut().u32(19).u16(0).u16(0).u64(7).padded(path).str();
    EXPECT_TRUE(cgroups.apply({.type = 19, .bytes = test::view_of(record)}, std::endian::little));
  }
  EXPECT_EQ(cgroups.path(7), "/user.slice");
  EXPECT_EQ(cgroups.path(8), "");
  const std::string cut = BytesOut().u32(19).u16(0).u16(12).u32(7).str();
  EXPECT_FALSE(cgroups.apply({.type = 19, .bytes = test::view_of(cut)}, std::endian::little));
}

}  // namespace
}  // namespace evname::session
