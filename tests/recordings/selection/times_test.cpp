// Ranges of time, as the option --time of perf script reads them (tools/perf/util/time-utils.c),
// and the operations of data that a filter passes.

#include <gtest/gtest.h>

#include "evname/recording.hpp"
#include "evname/sample_filter.hpp"
#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"
#include "support/written.hpp"

namespace evname::times_test {
namespace {

using test::BytesOut;
using test::PerfFile;

/// "FIRST-LAST" of each range in ns, the end of time as "*"; "refused".
std::string ranges(const Recording& file, std::string_view text) {
  const auto parsed = parse_times(text, file);
  if (!parsed) return "refused";
  std::string out;
  for (const TimeRange& range : *parsed) {
    out += (out.empty() ? "" : " ") + std::to_string(range.first) + "-";
    out += range.last == UINT64_MAX ? "*" : std::to_string(range.last);
  }
  return out;
}

Recording recording(const test::TempDir& dir, std::uint64_t first, std::uint64_t last) {
  PerfFile file;
  file.event({.type = 1, .sample_type = 2 | 4});
  file.feature(21, BytesOut().u64(first).u64(last).str());  // SAMPLE_TIME
  return Recording::open(dir.write("perf.data", file.file())).value();
}

TEST(TimeRanges, InSeconds) {
  const test::TempDir dir;
  const Recording file = recording(dir, 0, 1);
  const struct {
    const char *text, *ranges;
  } cases[] = {{"1,2", "1000000000-2000000000"},
               {"1.5,", "1500000000-*"},
               {",1.25", "0-1250000000"},
               {",", "0-*"},
               {"1,0", "1000000000-*"},  // perf takes 0 for no end
               {"0,0", "0-*"},
               {"1.000000001,1.123456789", "1000000001-1123456789"},
               {"2,2", "2000000000-2000000000"},
               {"1,2 3,4", "1000000000-2000000000 3000000000-4000000000"},
               {"  1,2   3,4 ", "1000000000-2000000000 3000000000-4000000000"},
               {"18446744071,", "18446744071000000000-*"},
               {"18446744073,", "refused"},
               {"18446744074,", "refused"},
               {"2,1", "refused"},
               {"1.0000000001,", "refused"},
               {"1.,2", "refused"},
               {"1,2.", "refused"},
               {"1", "refused"},
               {"a,", "refused"},
               {",b", "refused"},
               {"1.x,", "refused"},
               {"-1,", "refused"},
               {"1,2 x", "refused"}};
  for (const auto& c : cases) EXPECT_EQ(ranges(file, c.text), c.ranges) << c.text;
}

// Parts of the time from the first sample to the last; a part ends before the next one begins.
TEST(TimeRanges, InParts) {
  const test::TempDir dir;
  const Recording file = recording(dir, 1000, 2000);
  const struct {
    const char *text, *ranges;
  } cases[] = {{"10%", "1000-1099"},
               {"100%", "1000-2000"},
               {"0%", "1000-1000"},
               {"10%-20%", "1100-1199"},
               {"90%-100%", "1900-2000"},
               {"0%-100%", "1000-2000"},
               {"100%-100%", "2000-2000"},
               {"50%-50%", "1500-1500"},
               {"10%/1", "1000-1099"},
               {"10%/2", "1100-1199"},
               {"10%/10", "1900-2000"},
               {"12.5%/2", "1125-1249"},
               {"33.3%-66.6%", "1333-1665"},
               {"0.25%", "1000-1002"},  // 2.5, rounded to 3
               {"10%,20%-30%", "1000-1099 1200-1299"},
               {"10%/1, 10%/3", "1000-1099 1200-1299"},
               {"20%-10%", "1200-1100"},
               {"10%/11", "refused"},
               {"10%/0", "refused"},
               {"101%", "refused"},
               {"-1%", "refused"},
               {"10%-101%", "refused"},
               {"-1%-10%", "refused"},
               {"10%-20", "refused"},
               {"10-20%", "refused"},
               {"x%", "refused"},
               {"10%/x", "refused"},
               {"10%,", "refused"},
               {"nan%", "refused"}};
  for (const auto& c : cases) EXPECT_EQ(ranges(file, c.text), c.ranges) << c.text;
  EXPECT_EQ(ranges(recording(dir, 2000, 1000), "10%"), "refused");
  EXPECT_EQ(ranges(recording(dir, 7, 7), "10%"), "7-7");
  PerfFile without;
  without.event({.type = 1, .sample_type = 2 | 4});
  const auto unknown = Recording::open(dir.write("perf.data", without.file()));
  EXPECT_EQ(ranges(unknown.value(), "10%"), "refused");
  EXPECT_EQ(ranges(unknown.value(), "1,2"), "1000000000-2000000000");
}

// Each recording has parts of its own.
TEST(TimeRanges, PartsOfEachRecording) {
  const test::TempDir dir;
  SampleFilter filter;
  filter.time_parts = "0%-10%,50%-60%";
  for (const std::uint64_t first : {1000, 50'000}) {
    PerfFile file;
    file.event({.type = 1, .sample_type = 2 | 4});
    file.feature(21, BytesOut().u64(first).u64(first + 1000).str());
    for (std::uint64_t i = 0; i <= 10; ++i)
      file.record(9, BytesOut().u32(5).u32(5).u64(first + 100 * i).str());
    const Recording opened = Recording::open(dir.write("perf.data", file.file())).value();
    const Selection selection = Selection::make(filter, opened).value();
    std::vector<std::uint64_t> times;
    opened.for_each_sample([&](const Sample& sample) {
      if (selection.accepts(sample)) times.push_back(*sample.time() - first);
    });
    EXPECT_EQ(times, (std::vector<std::uint64_t>{0, 500}));
  }
  PerfFile without;
  without.event({.type = 1, .sample_type = 2 | 4});
  const Recording unknown = Recording::open(dir.write("perf.data", without.file())).value();
  EXPECT_EQ(filter.check(unknown).error().code, Errc::not_found);
  EXPECT_FALSE(filter.selects_events_only());
}

// PERF_MEM_OP_LOAD is 2, STORE 4, PFETCH 8, EXEC 16, NA 1.
TEST(Operations, OfDataSources) {
  const test::TempDir dir;
  PerfFile file;
  file.event({.type = 1, .sample_type = 2 | 4 | 1 << 15});
  for (std::uint64_t operation = 1, time = 1; operation <= 32; operation *= 2)
    file.record(9, BytesOut().u32(5).u32(5).u64(time++).u64(operation).str());
  file.record(9, BytesOut().u32(5).u32(5).u64(9).u64(2 | 4).str());
  const Recording opened = Recording::open(dir.write("perf.data", file.file())).value();
  constexpr auto kLoad = static_cast<unsigned>(SampledOperation::load),
                 kStore = static_cast<unsigned>(SampledOperation::store),
                 kPrefetch = static_cast<unsigned>(SampledOperation::prefetch),
                 kBranch = static_cast<unsigned>(SampledOperation::branch);
  const struct {
    unsigned operations;
    const char* times;
  } cases[] = {{0, "1 2 3 4 5 6 9 "},
               {kLoad, "2 9 "},
               {kStore, "3 9 "},
               {kPrefetch, "4 "},
               {kBranch, ""},
               {kLoad | kStore, "2 3 9 "},
               {kLoad | kPrefetch, "2 4 9 "},
               {kStore | kBranch, "3 9 "}};
  for (const auto& c : cases) {
    SampleFilter filter;
    filter.operations = c.operations;
    std::string times;
    const std::string json = test::written(
        opened, {.format = Format::csv, .fields = test::fields("time"), .filter = filter});
    for (std::size_t at = json.find('\n') + 1; at < json.size(); at = json.find('\n', at) + 1)
      times += json.substr(json.find('\n', at) - 1, 1) + ' ';
    EXPECT_EQ(times, c.times) << c.operations;
  }
}

}  // namespace
}  // namespace evname::times_test
