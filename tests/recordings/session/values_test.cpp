// Samples that carry counter values (`:S`).

#include "recordings/session/recording_fixture.hpp"

namespace evname::session {
namespace {

constexpr std::uint64_t kReadType = kType | perf_format::kSampleRead;
constexpr std::uint64_t kGroup = perf_format::kReadGroup | perf_format::kReadId;

AttrSpec reading(std::uint64_t id, std::uint64_t format, std::vector<int> flags = {18}) {
  return {.sample_type = kReadType, .read_format = format, .flags = std::move(flags), .ids = {id}};
}

std::string head(std::uint64_t id, std::uint32_t tid, std::uint64_t time) {
  return BytesOut().u64(id).u32(tid).u32(tid).u64(time).str();
}

TEST(Values, OfAGroupAreSamplesOfTheirEventsByWhatWasCountedSince) {
  PerfFile file;
  file.event(reading(1, kGroup)).event(reading(2, kGroup));
  file.record(9, BytesOut().raw(head(1, 5, 10)).u64(2).u64(100).u64(1).u64(7).u64(2).str());
  file.record(9, BytesOut().raw(head(1, 5, 20)).u64(2).u64(150).u64(1).u64(7).u64(2).str());
  const Read got = read(file.file());
  EXPECT_EQ(got.samples, ":5@10/0+100 :5@10/1+7 :5@20/0+50 ");  // event 1 counted nothing more
  EXPECT_EQ(got.tally.samples, 2u);
}

TEST(Values, StandAtTheirPlaceWhateverElseIsRead) {
  constexpr std::uint64_t kTimes = perf_format::kReadTimeEnabled | perf_format::kReadTimeRunning;
  const struct {
    std::uint64_t format;
    BytesOut body;
  } kRows[] = {{perf_format::kReadId, BytesOut().u64(40).u64(1)},
               {0, BytesOut().u64(40)},
               {perf_format::kReadId | kTimes | perf_format::kReadLost,
                BytesOut().u64(40).u64(8).u64(9).u64(1).u64(3)},
               {kGroup | kTimes, BytesOut().u64(1).u64(8).u64(9).u64(40).u64(1)},
               {kGroup | perf_format::kReadTimeRunning | perf_format::kReadLost,
                BytesOut().u64(1).u64(9).u64(40).u64(1).u64(3)}};
  for (const auto& row : kRows) {
    PerfFile file;
    file.event(reading(1, row.format)).event(reading(2, row.format));
    file.record(9, head(1, 5, 10) + row.body.str());
    EXPECT_EQ(read(file.file()).samples, ":5@10/0+40 ") << "read_format " << row.format;
  }
}

// Each value of a group has its own id and its own number of lost samples (PERF_FORMAT_LOST).
TEST(Values, OfAGroupStandAtTheirPlaces) {
  PerfFile file;
  const std::uint64_t format = kGroup | perf_format::kReadLost;
  file.event(reading(1, format)).event(reading(2, format));
  const BytesOut body = BytesOut().u64(2).u64(40).u64(1).u64(3).u64(50).u64(2).u64(4);
  file.record(9, head(1, 5, 10) + body.str());
  EXPECT_EQ(read(file.file()).samples, ":5@10/0+40 :5@10/1+50 ");
}

TEST(Values, OfInheritedCountersAreApartForEachThread) {
  PerfFile file;
  file.event(reading(1, perf_format::kReadId, {18, 1}))
      .event(reading(2, perf_format::kReadId, {18, 1}));
  for (std::uint32_t tid : {5u, 6u, 5u})
    file.record(9, head(1, tid, 10) + BytesOut().u64(40 + tid).u64(1).str());
  EXPECT_EQ(read(file.file()).samples, ":5@10/0+45 :6@10/0+46 ");
}

TEST(Values, OfUnknownIdsAreCountedAndTheOthersKept) {
  PerfFile file;
  file.event(reading(1, kGroup)).event(reading(2, kGroup));
  file.record(9, BytesOut().raw(head(1, 5, 10)).u64(2).u64(9).u64(77).u64(8).u64(2).str());
  const Read got = read(file.file());
  EXPECT_EQ(got.samples, ":5@10/1+8 ");
  EXPECT_TRUE(warns_of(got.tally, "1 counter value has an id that no event"));
  EXPECT_FALSE(got.tally.warnings.empty());
}

}  // namespace
}  // namespace evname::session
