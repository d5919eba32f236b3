#include "evname/report.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "support/output_of.hpp"
#include "support/perf_file.hpp"
#include "support/recordings.hpp"
#include "support/temp_dir.hpp"

namespace evname {
namespace {

using test::BytesOut;
using test::PerfFile;

constexpr std::uint64_t kType = 0x10000 | 2 | 4 | 128 | 256;  // IDENTIFIER, TID, TIME, CPU, PERIOD

class Reports : public testing::Test {
 protected:
  Reports() {
    file.event({.type = 1, .config = 0, .sample_type = kType, .flags = {18, 20}, .ids = {1}});
    file.event({.type = 1, .config = 2, .sample_type = kType, .flags = {18, 20}, .ids = {2}});
  }
  void sample(std::uint64_t id, std::uint32_t tid, std::uint64_t time, std::uint64_t period) {
    file.record(9, BytesOut().u64(id).u32(5).u32(tid).u64(time).u32(1).u32(0).u64(period).str());
  }
  PerfData open(std::string_view name = "perf.data") {
    return *PerfData::open(dir.write(name, file.file()));
  }
  static std::string text(const Report& report) {
    std::string out;
    for (const ReportRow& row : report.rows()) {
      for (const std::string& key : row.keys) out += key + ' ';
      out += fmt::format("{} {} {:.2f} {}-{} {} {};", row.samples, row.period, row.share, row.first,
                         row.last, row.lost, row.throttled);
    }
    return out;
  }
  PerfFile file;
  test::TempDir dir;
};

std::string trailer(std::uint64_t time, std::uint64_t id) {
  return BytesOut().u32(5).u32(5).u64(time).u32(1).u32(0).u64(id).str();
}

TEST_F(Reports, EventsAreAddedUpWithWhatWasLostOfThem) {
  sample(1, 5, 10, 100);
  sample(1, 6, 20, 50);
  sample(2, 5, 15, 1);
  file.record(2, BytesOut().u64(2).u64(7).raw(trailer(16, 2)).str());          // LOST
  file.record(13, BytesOut().u64(3).raw(trailer(17, 1)).str());                // LOST_SAMPLES
  file.record(5, BytesOut().u64(18).u64(1).u64(1).raw(trailer(18, 1)).str());  // THROTTLE
  Report report({});
  report.add(open());
  EXPECT_EQ(text(report), "cpu-clock 2 150 0.67 10-20 3 1;page-faults 1 1 0.33 15-15 7 0;");
}

TEST_F(Reports, RowsByThreadsHaveTheirShareOfTheEvent) {
  for (std::uint32_t tid : {5u, 6u, 6u, 6u}) sample(1, tid, 10, 1);
  sample(2, 5, 10, 1);
  Report report({.keys = {SortKey::event, SortKey::tid}});
  report.add(open());
  EXPECT_EQ(text(report),
            "cpu-clock 6 3 3 0.75 10-10 0 0;cpu-clock 5 1 1 0.25 10-10 0 0;"
            "page-faults 5 1 1 1.00 10-10 0 0;");
}

TEST_F(Reports, TheRowsOfAnEventFollowEachOther) {
  for (std::uint32_t tid : {5u, 6u, 7u, 7u}) sample(1, tid, 10, 1);
  for (std::uint32_t tid : {5u, 5u, 5u}) sample(2, tid, 10, 1);
  for (const auto& keys :
       {std::vector{SortKey::event, SortKey::tid}, std::vector{SortKey::tid, SortKey::event}}) {
    Report report({.keys = keys});
    report.add(open());
    std::string order;
    for (const ReportRow& row : report.rows()) order += fmt::format("{}/{} ", row.samples, row.of);
    EXPECT_EQ(order, "2/4 1/4 1/4 3/3 ");
  }
}

TEST_F(Reports, AnEventWithoutSamplesHasARow) {
  sample(1, 5, 10, 1);
  const std::string whole = "page-faults 0 0 0.00 18446744073709551615-0 0 0;";
  for (const bool one_by_one : {false, true}) {
    Report report({.filter = {.tids = one_by_one ? std::vector{5} : std::vector<int>{}}});
    EXPECT_EQ(report.add(open()).selected, 1u);
    EXPECT_EQ(text(report), "cpu-clock 1 1 1.00 10-10 0 0;" + whole);
  }
  Report by_thread({.keys = {SortKey::event, SortKey::tid}});
  by_thread.add(open());
  EXPECT_EQ(text(by_thread),
            "cpu-clock 5 1 1 1.00 10-10 0 0;page-faults - 0 0 0.00 "
            "18446744073709551615-0 0 0;");
  Report filtered({.filter = {.event = "page*"}});
  EXPECT_EQ(filtered.add(open()).selected, 0u);
  EXPECT_EQ(text(filtered), whole);
}

TEST_F(Reports, FilesAreAddedUpUnlessTheyAreToldApart) {
  sample(1, 5, 10, 1);
  Report together({}), apart({.keys = {SortKey::file}});
  for (Report* report : {&together, &apart})
    for (const char* name : {"a", "b"}) report->add(open(name));
  EXPECT_EQ(text(together),
            "cpu-clock 2 2 1.00 10-10 0 0;page-faults 0 0 0.00 "
            "18446744073709551615-0 0 0;");
  EXPECT_EQ(apart.rows().size(), 2u);
}

TEST_F(Reports, FiltersLeaveOutSamples) {
  sample(1, 5, 10, 1);
  sample(1, 6, 10, 1);
  sample(2, 6, 10, 1);
  Report report({.filter = {.event = "cpu*", .tids = {6}}});
  report.add(open());
  EXPECT_EQ(text(report), "cpu-clock 1 1 1.00 10-10 0 0;");
}

TEST_F(Reports, BinsGetWiderWithTimeAndLoseNothing) {
  constexpr std::uint64_t kStep = 1000;
  for (std::uint64_t i = 0; i < 5000; ++i) sample(1 + i % 2, 5, 7 + i * kStep, 3);
  Report report({.histogram = true});
  report.add(open());
  const Histogram& histogram = report.histogram();
  EXPECT_EQ(histogram.first, 7u);
  EXPECT_GE(histogram.width * Histogram::kBins, 4999 * kStep);
  EXPECT_LT(histogram.width * Histogram::kBins / 2, 4999 * kStep);
  for (const Histogram::Series& series : histogram.events) {
    std::uint64_t samples = 0, periods = 0;
    for (std::size_t i = 0; i < Histogram::kBins; ++i)
      samples += series.samples[i], periods += series.periods[i];
    EXPECT_EQ(samples, 2500u);
    EXPECT_EQ(periods, 7500u);
  }
  EXPECT_GT(histogram.events[0].samples[0], 0u);
}

TEST(SortKeys, AreNamed) {
  EXPECT_EQ(*parse_sort_keys("event,comm"), (std::vector{SortKey::event, SortKey::comm}));
  EXPECT_FALSE(parse_sort_keys("event,"));
  EXPECT_FALSE(parse_sort_keys("symbol"));
}

// perf report --stats counts the samples of each event ("NAME stats:", then "SAMPLE events: N").
TEST(ReportOfRecordings, HasTheCountsOfPerf) {
  if (test::shared_dir().empty()) GTEST_SKIP() << "EVNAME_SHARED is not set";
  std::size_t compared = 0;
  for (const std::string& path : test::all_recordings()) {
    const std::string stats = test::read_all(path.substr(0, path.size() - 5) + ".stats.txt");
    const auto file = PerfData::open(path);
    if (!file || path.find("group-read") != path.npos || path.find("icount-names") != path.npos ||
        file->facts().form == FileFacts::Form::pipe)
      continue;  // perf counts `:S` samples there, not their values; and does not name those of
                 // pipes
    std::map<std::string, std::uint64_t> expected, counted;
    std::string event;
    for (std::string_view line : split(stats, '\n')) {
      if (line.ends_with(" stats:")) event = line.substr(0, line.size() - 7);
      const auto at = line.find("SAMPLE events:");
      if (at != line.npos && event != "Aggregated" && line.find("LOST") == line.npos)
        expected[event] += parse_decimal(trim(line.substr(at + 14))).value_or(0);
    }
    file->for_each_sample([&](const Sample& sample) { ++counted[sample.event().recorded_name]; });
    Report report({});
    report.add(*file);
    std::uint64_t samples = 0;
    for (const ReportRow& row : report.rows()) samples += row.samples;
    EXPECT_EQ(samples, report.samples());
    for (const auto& [name, count] : expected) {
      EXPECT_EQ(counted[name], count) << path << " " << name;
      ++compared;
    }
  }
  EXPECT_GT(compared, 50u);
}

}  // namespace
}  // namespace evname
