#include "recordings/session/event_sums.hpp"

#include "recordings/session/recording_fixture.hpp"
#include "support/recordings.hpp"

namespace evname::session {
namespace {

/// Adds up each sample and loss that a cursor comes to.
Sums add_up(const File& file, RecordCursor& cursor) {
  Sums sums(file.events);
  while (cursor.next()) {
    const perf_format::Event* event =
        cursor.is_sample() ? cursor.sample().event : cursor.loss().event;
    if (!event) continue;
    SampleSums& of_event = sums.events[file.events.index_of(*event)];
    if (!cursor.is_sample()) {
      sums.lost.add(cursor.loss());
      of_event.throttled += cursor.loss().throttled;
      continue;
    }
    ++of_event.samples;
    of_event.period += cursor.sample().period;
    if (!event->attr.samples(perf_format::kSampleTime)) continue;
    of_event.first = std::min(of_event.first, cursor.sample().time);
    of_event.last = std::max(of_event.last, cursor.sample().time);
  }
  for (std::size_t i = 0; i < sums.events.size(); ++i) sums.events[i].lost = sums.lost.of_event(i);
  return sums;
}

using Counts = decltype(SampleTally::records);

std::string text_of(const Sums& sums, const Counts& records) {
  std::string text;
  for (const SampleSums& e : sums.events)
    text += fmt::format("{} {} {}-{} {} {}\n", e.samples, e.period, e.first, e.last, e.lost,
                        e.throttled);
  for (const auto& [type, count] : records) text += fmt::format("{}: {} ", type, count);
  return text;
}

/// In parts of each size, on several threads: the same, or nothing where a pass warns.
bool compare(const std::string& path) {
  const auto file = File::open(path);
  if (!file) return false;
  RecordCursor cursor(*file, {.file_order = true});
  const Sums expected = add_up(*file, cursor);
  const SampleTally tally = cursor.tally();
  bool told = false;
  for (const std::size_t part : {std::size_t{16}, std::size_t{1000}, std::size_t{4} << 20}) {
    const auto sums = sum_up(*file, {.jobs = 3}, part);
    if (!sums) continue;
    told = true;
    EXPECT_TRUE(tally.warnings.empty()) << path << ": " << tally.warnings[0];
    EXPECT_EQ(text_of(*sums, sums->records.list()), text_of(expected, tally.records))
        << path << " in parts of " << part;
    EXPECT_EQ(sums->tally().lost, tally.lost) << path;
  }
  return told;
}

TEST(SumsOfRecordings, AreThoseOfAPass) {
  const std::string root = std::getenv("EVNAME_SOURCE_ROOT");
  EXPECT_TRUE(compare(root + "/tests/data/neoverse-n1.data"));
  EXPECT_TRUE(compare(root + "/tests/data/cortex-a72-system.data"));
  if (test::shared_dir().empty()) GTEST_SKIP() << "EVNAME_SHARED is not set";
  int told = 0;
  for (const std::string& path : test::all_recordings()) told += compare(path);
  EXPECT_GT(told, 40);
}

bool compare(const PerfFile& input) {
  const TempDir dir;
  return compare(dir.write("perf.data", input.file()));
}

class AnySums : public AnyRecording {
 protected:
  PerfFile lines() {
    PerfFile input = file();
    for (std::uint64_t i = 0; i < 300; ++i) input.record(9, sample(1 + i % 2, 5, 1000 - i));
    return input;
  }
};
INSTANTIATE_TEST_SUITE_P(Sums, AnySums, testing::Values(std::endian::little, std::endian::big));

TEST_P(AnySums, CountWhatIsLostAndThrottled) {
  PerfFile input = lines();
  input.record(2, out().u64(2).u64(7).u64(0).u64(0).u64(0).str());
  input.record(5, out().u64(1).u64(1).u64(1).u64(0).u64(0).u64(0).str());
  EXPECT_TRUE(compare(input));
}

// Where a part begins is guessed by what looks like records; here a sample is full of them.
TEST_P(AnySums, AreRightWhereDataLookLikeRecords) {
  PerfFile input(GetParam());
  input.event(
      {.sample_type = perf_format::kSampleTid | perf_format::kSampleTime | perf_format::kSampleRaw,
       .ids = {1}});
  BytesOut fake = out();
  for (int i = 0; i < 500; ++i) fake.u32(9).u16(0).u16(24).u32(5).u32(5).u64(9999999);
  for (std::uint64_t i = 0; i < 50; ++i) {
    BytesOut body = out();
    body.u32(5).u32(5).u64(100 + i).u32(12004).raw(fake.str()).u32(0);
    input.record(9, body.str());
  }
  EXPECT_TRUE(compare(input));
}

TEST_P(AnySums, AreLeftToAPassWhereThereIsSomethingToTell) {
  PerfFile unknown_id = lines(), short_sample = lines(), cut = lines(), unknown_type = lines();
  unknown_id.record(9, sample(99, 5, 1));
  short_sample.record(9, out().u64(1).str());
  cut.raw(out().u32(9).u16(0).u16(200).str());
  unknown_type.record(60, out().u64(1).u64(1).u64(1).str());
  for (const PerfFile& input : {unknown_id, short_sample, cut, unknown_type})
    EXPECT_FALSE(compare(input));
}

}  // namespace
}  // namespace evname::session
