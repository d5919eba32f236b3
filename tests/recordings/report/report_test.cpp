#include "evname/report.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>

#include "recordings/report/detailed_report.hpp"
#include "recordings/report/grid_collector.hpp"
#include "recordings/report/time_rows.hpp"
#include "support/output_of.hpp"
#include "support/perf_file.hpp"
#include "support/recordings.hpp"
#include "support/temp_dir.hpp"

namespace evname {
namespace {

using test::BytesOut;
using test::PerfFile;

constexpr std::uint64_t kRawType =
    0x10000 | 2 | 4 | 128 | 256;  // IDENTIFIER, TID, TIME, CPU, PERIOD

class Reports : public testing::Test {
 protected:
  Reports() {
    file.event({.type = 1, .config = 0, .sample_type = kRawType, .ids = {1}});
    file.event({.type = 1, .config = 2, .sample_type = kRawType, .ids = {2}});
  }
  void sample(std::uint64_t id, std::uint32_t tid, std::uint64_t time, std::uint64_t period) {
    file.record(9, BytesOut().u64(id).u32(5).u32(tid).u64(time).u32(1).u32(0).u64(period).str());
  }
  Recording open(std::string_view name = "perf.data") {
    return *Recording::open(dir.write(name, file.file()));
  }
  static std::string text(const Report& report) {
    std::string out;
    for (const Report::Row& row : report.rows()) {
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
  (void)report.add(open());
  EXPECT_EQ(text(report), "cpu-clock 2 150 0.67 10-20 3 1;page-faults 1 1 0.33 15-15 7 0;");
}

TEST_F(Reports, LossesOutsideOfTheTimeDoNotCount) {
  for (const std::uint64_t time : {10, 20, 30}) {
    sample(1, 5, time, 1);
    file.record(2, BytesOut().u64(1).u64(time).raw(trailer(time + 1, 1)).str());  // LOST
    file.record(5, BytesOut().u64(time + 1).u64(1).u64(1).raw(trailer(time + 1, 1)).str());
  }
  file.record(13, BytesOut().u64(60).raw(trailer(0, 1)).str());  // LOST_SAMPLES of the whole time
  report::DetailedReport report({.filter = {.times = {{15, 25}}}}, {.grid = true});
  (void)report.add(open());
  EXPECT_EQ(text(report),
            "cpu-clock 1 1 1.00 20-20 20 1;page-faults 0 0 0.00 18446744073709551615-0 0 0;");
  ASSERT_EQ(report.grid().losses.size(), 1u);
  EXPECT_EQ(report.grid().losses[0].lost, 20u);
}

TEST_F(Reports, RowsByThreadsHaveTheirShareOfTheEvent) {
  for (std::uint32_t tid : {5u, 6u, 6u, 6u}) sample(1, tid, 10, 1);
  sample(2, 5, 10, 1);
  Report report({.keys = {SortKey::event, SortKey::tid}});
  (void)report.add(open());
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
    (void)report.add(open());
    std::string order;
    for (const Report::Row& row : report.rows())
      order += fmt::format("{}/{} ", row.samples, row.of);
    EXPECT_EQ(order, "2/4 1/4 1/4 3/3 ");
  }
}

TEST_F(Reports, AnEventWithoutSamplesHasARow) {
  sample(1, 5, 10, 1);
  const std::string whole = "page-faults 0 0 0.00 18446744073709551615-0 0 0;";
  for (const bool one_by_one : {false, true}) {
    Report report({.filter = {.tids = one_by_one ? std::vector{5} : std::vector<int>{}}});
    EXPECT_EQ(report.add(open())->selected, 1u);
    EXPECT_EQ(text(report), "cpu-clock 1 1 1.00 10-10 0 0;" + whole);
  }
  Report by_thread({.keys = {SortKey::event, SortKey::tid}});
  (void)by_thread.add(open());
  EXPECT_EQ(text(by_thread),
            "cpu-clock 5 1 1 1.00 10-10 0 0;page-faults - 0 0 0.00 "
            "18446744073709551615-0 0 0;");
  Report filtered({.filter = {.event = "page*"}});
  EXPECT_EQ(filtered.add(open())->selected, 0u);
  EXPECT_EQ(text(filtered), whole);
}

TEST_F(Reports, FilesAreAddedUpUnlessTheyAreToldApart) {
  sample(1, 5, 10, 1);
  Report together({}), apart({.keys = {SortKey::file}});
  for (Report* report : {&together, &apart})
    for (const char* name : {"a", "b"}) (void)report->add(open(name));
  EXPECT_EQ(text(together),
            "cpu-clock 2 2 1.00 10-10 0 0;page-faults 0 0 0.00 "
            "18446744073709551615-0 0 0;");
  EXPECT_EQ(apart.rows().size(), 2u);
}

// Events of one name are told apart by their PMUs if these are of two recordings, whichever is
// first.
TEST_F(Reports, EventsOfOneNameHaveTheirPmus) {
  Report report({});
  for (const char* pmu : {"this_pmu", "that_pmu"}) {
    PerfFile one;
    one.event({.type = 8, .config = 1, .sample_type = kRawType, .ids = {1}});
    one.feature(12, BytesOut()  // EVENT_DESC
                        .u32(1)
                        .u32(136)
                        .raw(test::attr_bytes({.type = 8, .config = 1, .sample_type = kRawType},
                                              std::endian::little))
                        .u32(0)
                        .string("thing")
                        .str());
    one.feature(16, BytesOut().u32(1).u32(8).string(pmu).str());  // PMU_MAPPINGS
    one.record(9, BytesOut().u64(1).u32(5).u32(5).u64(1).u32(1).u32(0).u64(1).str());
    (void)report.add(*Recording::open(dir.write(pmu, one.file())));
  }
  EXPECT_EQ(text(report), "that_pmu/thing/ 1 1 0.50 1-1 0 0;this_pmu/thing/ 1 1 0.50 1-1 0 0;");
}

TEST_F(Reports, FiltersLeaveOutSamples) {
  sample(1, 5, 10, 1);
  sample(1, 6, 10, 1);
  sample(2, 6, 10, 1);
  Report report({.filter = {.event = "cpu*", .tids = {6}}});
  (void)report.add(open());
  EXPECT_EQ(text(report), "cpu-clock 1 1 1.00 10-10 0 0;");
}

TEST_F(Reports, BinsGetWiderWithTimeAndLoseNothing) {
  constexpr std::uint64_t kStep = 1'000'000;
  for (std::uint64_t i = 0; i < 5000; ++i) sample(1 + i % 2, 5 + i % 4 / 2, 7 + i * kStep, 3);
  report::DetailedReport report({}, {.grid = true});
  (void)report.add(open());
  const report::SampleGrid grid = report.grid({1000, 1000});
  EXPECT_EQ(grid.first, 7u);
  EXPECT_LE(grid.cells.size(), 1000u);
  EXPECT_GE(grid.cells.back().bin * grid.width, 4999 * kStep);
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> sums;
  for (const report::SampleGrid::Cell& cell : grid.cells) {
    const report::SampleGrid::Track& track = grid.tracks[cell.track];
    const report::SampleGrid::Thread& thread = grid.threads[track.thread];
    auto& [samples, period] =
        sums[fmt::format("{}/{} {}/{}", track.event, thread.comm, thread.tid, track.cpu)];
    samples += cell.samples, period += cell.period;
  }
  std::string text;
  for (const auto& [track, sum] : sums)
    text += fmt::format("{} {} {};", track, sum.first, sum.second);
  EXPECT_EQ(text, "0/:5 5/1 1250 3750;0/:6 6/1 1250 3750;1/:5 5/1 1250 3750;1/:6 6/1 1250 3750;");
}

// Each sample is in the bin of its time, as long as there is room.
TEST_F(Reports, BinsAreAsFineAsThereIsRoom) {
  for (std::uint64_t i = 0; i < 300; ++i) sample(1, 5, 1000 + i * 1000, 3);
  report::DetailedReport report({}, {.grid = true});
  (void)report.add(open());
  const report::SampleGrid grid = report.grid();
  ASSERT_EQ(grid.cells.size(), 300u);
  for (std::uint64_t i = 0; i < 300; ++i)
    EXPECT_EQ(grid.cells[i].bin, i * 1000 / grid.width + 1) << i;
}

// The number of bins, 48 binary digits of it, goes at once.
TEST_F(Reports, BinsGetAsWideAsTimesOfAnySizeAsk) {
  for (const std::uint64_t time : {1ull, 3ull, 1ull << 63}) sample(1, 5, time, 1);
  report::DetailedReport report({}, {.grid = true});
  (void)report.add(open());
  const report::SampleGrid grid = report.grid();
  ASSERT_EQ(grid.cells.size(), 2u);
  EXPECT_EQ(grid.cells[0].bin, 1u);
  EXPECT_EQ(grid.cells[0].samples, 2u);
  EXPECT_EQ(((1ull << 63) - grid.first) / grid.width, grid.cells[1].bin - 1);
}

TEST_F(Reports, OneBinCanHaveAllTimesThereAre) {
  for (const std::uint64_t time : {1ull, 1ull << 40, ~1ull}) sample(1, 5, time, 1);
  report::DetailedReport report({}, {.grid = true});
  (void)report.add(open());
  const report::SampleGrid grid = report.grid({1000, 1});
  ASSERT_EQ(grid.cells.size(), 1u);
  EXPECT_EQ(grid.cells[0].bin, 1u);
  EXPECT_EQ(grid.cells[0].samples, 3u);
  EXPECT_EQ(grid.width, UINT64_MAX);
}

TEST_F(Reports, TheGridHasWhenSamplesWereLost) {
  sample(1, 5, 100, 1);
  file.record(13, BytesOut().u64(3).raw(trailer(1100, 1)).str());  // LOST_SAMPLES
  sample(1, 5, 2100, 1);
  report::DetailedReport report({}, {.grid = true});
  (void)report.add(open());
  const report::SampleGrid grid = report.grid();
  ASSERT_EQ(grid.losses.size(), 1u);
  EXPECT_EQ(grid.first + (grid.losses[0].bin - 1) * grid.width, 1100u);
  EXPECT_EQ(grid.losses[0].lost, 3u);
  EXPECT_EQ(grid.losses[0].event, 0u);
}

TEST_F(Reports, TheGridHasWhenThreadsWereSwitchedOut) {
  constexpr std::uint16_t kOut = 1 << 13;
  sample(1, 5, 100, 1);
  file.record(14, BytesOut().raw(trailer(1100, 1)).str(), kOut);  // SWITCH
  file.record(14, BytesOut().raw(trailer(1200, 1)).str());        // in again
  sample(1, 5, 2100, 1);
  report::DetailedReport report({}, {.grid = true});
  (void)report.add(open());
  const report::SampleGrid grid = report.grid();
  ASSERT_EQ(grid.losses.size(), 1u);
  EXPECT_EQ(grid.first + (grid.losses[0].bin - 1) * grid.width, 1100u);
  EXPECT_EQ(grid.losses[0].switches, 1u);
  EXPECT_EQ(report.events()[0].lost, 0u);
}

TEST_F(Reports, RecordingsOfDifferentClocksCountFromTheirFirstSample) {
  sample(1, 5, 10, 1);
  const Recording one = open("a");
  file = test::PerfFile();
  file.event({.type = 1, .config = 0, .sample_type = kRawType, .ids = {1}});
  sample(1, 5, 1'000'000'000'000, 1);
  report::DetailedReport report({}, {.grid = true});
  (void)report.add(one);
  (void)report.add(open("b"));
  EXPECT_EQ(report.grid().width, 1u);
  EXPECT_EQ(report.grid().cells.at(0).samples, 2u);
}

TEST_F(Reports, ManyThreadsFoldAndLoseNothing) {
  constexpr std::uint32_t kThreads = 4000;
  for (std::uint32_t i = 0; i < kThreads; ++i) sample(1, 100 + i, 10 + i, 2);
  sample(1, 7, 20, 2);
  sample(1, 7, 21, 2);
  report::DetailedReport report({}, {.grid = true});
  (void)report.add(open());
  const report::SampleGrid grid = report.grid({1000, 500});
  std::uint64_t samples = 0, periods = 0;
  for (const report::SampleGrid::Cell& cell : grid.cells)
    samples += cell.samples, periods += cell.period;
  EXPECT_EQ(samples, kThreads + 2);
  EXPECT_EQ(periods, 2 * (kThreads + 2));
  EXPECT_EQ(grid.threads.size() + grid.folded_threads, kThreads + 1);
  EXPECT_LE(grid.cells.size(), 500u);
  EXPECT_EQ(grid.threads.at(0).tid, 7);
}

// Stacks have room for few times; the number of samples of each thread is still known by time.
TEST_F(Reports, CountsKeepNarrowBinsIfStacksHaveWideOnes) {
  constexpr std::uint64_t kSamples = 4000, kThreads = 20, kStep = 1000;
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    sample(1, 10 + i % kThreads, 5 + i * kStep, 2);
    if (i % 500 == 0) file.record(13, BytesOut().u64(3).raw(trailer(5 + i * kStep, 1)).str());
  }
  report::DetailedReport report({}, {.grid = true});
  (void)report.add(open());
  const report::SampleGrid grid = report.grid({1000, 100});
  EXPECT_GT(grid.width, 1000 * grid.fine_width);
  EXPECT_LE(grid.cells.size(), 100u);
  EXPECT_EQ(grid.threads.size(), kThreads);
  std::map<std::pair<std::int32_t, std::uint64_t>, std::uint64_t> expected, found;
  for (std::uint64_t i = 0; i < kSamples; ++i)
    ++expected[{10 + i % kThreads, i * kStep / grid.fine_width + 1}];
  for (const report::SampleGrid::Cell& one : grid.counts) {
    found[{grid.threads[grid.tracks[one.track].thread].tid, one.bin}] += one.samples;
    EXPECT_EQ(one.period, 2 * one.samples);
  }
  EXPECT_EQ(found, expected);
  ASSERT_EQ(grid.losses.size(), kSamples / 500);
  for (std::uint64_t i = 0; i < grid.losses.size(); ++i)
    EXPECT_EQ(grid.losses[i].bin, i * 500 * kStep / grid.fine_width + 1);
}

// The times of samples that were lost stay where they are, as bins get wider for later ones.
TEST(GridOfManyCells, HasWhenSamplesWereLost) {
  constexpr std::uint64_t kThreads = 400, kSamples = 1'600'000, kStep = 1000, kFar = 1000;
  report::GridCollector collector;
  report::FramePool frames;
  TextPool texts;
  PairTree threads;
  const std::uint32_t comm = threads.child(PairTree::kRoot, texts.id("work"));
  std::vector<std::uint32_t> of_tid;
  for (std::uint32_t tid = 0; tid < kThreads; ++tid) of_tid.push_back(threads.child(comm, tid));
  const std::uint32_t frame = frames.id({});
  const std::uint32_t node = collector.node_of(PairTree::kRoot, {&frame, 1});
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    collector.make_room(frames);
    collector.add({.thread = of_tid[i % kThreads], .time = i * kStep}, node, 1);
  }
  for (const std::uint64_t time : {kSamples * kStep / 2, kSamples * kStep * kFar})
    collector.add_loss(time, {.lost = 3});
  const report::SampleGrid grid = collector.grid({texts, frames, threads}, {});
  ASSERT_EQ(grid.losses.size(), 2u);
  EXPECT_EQ(grid.losses[0].bin, kSamples * kStep / 2 / grid.fine_width + 1);
  EXPECT_EQ(grid.losses[1].bin, kSamples * kStep * kFar / grid.fine_width + 1);
}

// CPUs are folded before threads, so that those with most samples can still be selected.
TEST_F(Reports, ThreadsStayWhenCpusFold) {
  constexpr std::uint32_t kThreads = 4, kCpus = 2, kTimes = 64;
  for (std::uint64_t time = 1; time <= kTimes; ++time)
    for (std::uint32_t tid = 10; tid < 10 + kThreads; ++tid)
      for (std::uint32_t cpu = 0; cpu < kCpus; ++cpu)
        file.record(9, BytesOut().u64(1).u32(5).u32(tid).u64(time).u32(cpu).u32(0).u64(1).str());
  report::DetailedReport report({}, {.grid = true});
  (void)report.add(open());
  constexpr std::uint32_t kAll = kThreads * kCpus * kTimes;
  for (const auto& [cells, threads, cpus] : {std::tuple{kAll, kThreads, kCpus},
                                             {kAll / 2, kThreads, 1u},
                                             {kThreads * 8, kThreads, 1u}}) {
    const report::SampleGrid grid = report.grid({1000, cells});
    std::set<std::uint32_t> of_cpus;
    for (const report::SampleGrid::Track& track : grid.tracks) of_cpus.insert(track.cpu);
    EXPECT_EQ(grid.threads.size(), threads) << cells;
    EXPECT_EQ(of_cpus.size(), cpus) << cells;
    std::uint64_t samples = 0;
    for (const report::SampleGrid::Cell& cell : grid.cells) samples += cell.samples;
    EXPECT_EQ(samples, kAll) << cells;
    EXPECT_LE(grid.cells.size(), cells);
  }
}

TEST(SumsOfSamples, AddUp) {
  SampleSums one, other;
  one.add(5);
  EXPECT_FALSE(one.is_timed());
  other.add(2, 30);
  other.add(2, 20);
  other.lost = 4, other.throttled = 1;
  one += other;
  EXPECT_EQ(fmt::format("{} {} {}-{} {} {}", one.samples, one.period, one.first, one.last, one.lost,
                        one.throttled),
            "3 9 20-30 4 1");
}

// Samples with stacks; addresses have no file, and so no name but the address.
class Stacks : public Reports {
 protected:
  Stacks() {
    file = test::PerfFile();
    file.event(
        {.type = 1, .config = 0, .sample_type = kRawType | 1 | 32, .flags = {18, 20}, .ids = {1}});
  }
  /// `chain`: innermost first.
  void sample(std::uint32_t tid, const std::vector<std::uint64_t>& chain, std::uint64_t time = 10) {
    constexpr std::uint64_t kUser = -512;
    BytesOut out;
    out.u64(1).u64(chain[0]).u32(5).u32(tid).u64(time).u32(1).u32(0).u64(100);
    out.u64(chain.size() + 1).u64(kUser);
    for (const std::uint64_t address : chain) out.u64(address);
    file.record(9, out.str());
  }
  static std::string name_of(const report::SampleGrid& grid, std::uint32_t node) {
    const report::SampleGrid::Frame& frame = grid.frames[grid.nodes[node].frame];
    return frame.kind == report::SampleGrid::Kind::cut ? "(cut)" : grid.texts[frame.name];
  }
  /// "0x1;0x2 3 300": self samples of each stack.
  static std::vector<std::string> folded(const report::SampleGrid& grid) {
    std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> nodes;
    for (const report::SampleGrid::Cell& cell : grid.cells)
      nodes[cell.node].first += cell.samples, nodes[cell.node].second += cell.period;
    std::vector<std::string> lines;
    for (const auto& [own, sum] : nodes) {
      std::string text;
      for (std::uint32_t node = own; node != 0; node = grid.nodes[node].parent)
        text = name_of(grid, node) + (text.empty() ? "" : ";") + text;
      lines.push_back(fmt::format("{} {} {}", text, sum.first, sum.second));
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  }
  /// "0x1 2 200 3 300": samples of each function, and those with what it calls, as nodes and
  /// hidden ones add up.
  static std::vector<std::string> functions(const report::SampleGrid& grid) {
    using Sums = std::array<std::uint64_t, 4>;
    std::map<std::string, Sums> sums;
    for (const report::SampleGrid::Cell& cell : grid.cells) {
      std::set<std::string> met;
      for (std::uint32_t node = cell.node; grid.nodes[node].parent != 0;
           node = grid.nodes[node].parent) {
        const std::string name = name_of(grid, node);
        if (name == "(cut)") continue;
        Sums& one = sums[name];
        if (node == cell.node) one[0] += cell.samples, one[1] += cell.period;
        if (met.insert(name).second) one[2] += cell.samples, one[3] += cell.period;
      }
    }
    for (const report::SampleGrid::Hidden& hidden : grid.hidden) {
      Sums& one = sums[grid.texts[hidden.name]];
      one[0] += hidden.samples, one[1] += hidden.period;
      one[2] += hidden.all_samples, one[3] += hidden.all_period;
    }
    std::vector<std::string> lines;
    for (const auto& [name, one] : sums)
      lines.push_back(fmt::format("{} {} {} {} {}", name, one[0], one[1], one[2], one[3]));
    return lines;
  }
};

TEST_F(Stacks, AreATreeOfCallers) {
  sample(5, {0x30, 0x20, 0x10});
  sample(5, {0x30, 0x20, 0x10});
  sample(5, {0x20, 0x10});
  sample(6, {0x30, 0x10});
  report::DetailedReport report({}, {.grid = true});
  (void)report.add(open());
  EXPECT_EQ(folded(report.grid()),
            (std::vector<std::string>{":5;0x10;0x20 1 100", ":5;0x10;0x20;0x30 2 200",
                                      ":6;0x10;0x30 1 100"}));
  EXPECT_EQ(report.grid().cut, 0u);
  EXPECT_TRUE(report::DetailedReport({}, {}).grid().nodes.empty());
}

// 0x10 calls 0x20, which calls itself and four others by turns.
TEST_F(Stacks, FunctionsKeepNarrowBinsIfStacksHaveWideOnes) {
  constexpr std::uint64_t kSamples = 2000, kStep = 1000, kPeriod = 100;
  const auto leaf = [](std::uint64_t i) { return 0x30 + i % 4 * 0x10; };
  for (std::uint64_t i = 0; i < kSamples; ++i)
    sample(5 + i % 3, {leaf(i), 0x20, 0x20, 0x10}, 5 + i * kStep);
  report::DetailedReport report({}, {.grid = true});
  (void)report.add(open());
  const report::SampleGrid grid = report.grid({1000, 50});
  EXPECT_GT(grid.width, 100 * grid.function_width);
  EXPECT_GT(kSamples * kStep / grid.function_width, 1000u);
  using Sums = std::array<std::uint64_t, 2>;
  std::map<std::pair<std::uint64_t, std::string>, Sums> expected, found;
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    const std::uint64_t bin = i * kStep / grid.function_width + 1;
    ++expected[{bin, fmt::format("{:#x}", leaf(i))}][0];
    for (const std::uint64_t function : {leaf(i), std::uint64_t{0x20}, std::uint64_t{0x10}})
      ++expected[{bin, fmt::format("{:#x}", function)}][1];
  }
  for (const report::SampleGrid::Hidden& one : grid.functions) {
    found[{one.bin, grid.texts[one.name]}] = {one.samples, one.all_samples};
    EXPECT_EQ(one.all_period, kPeriod * one.all_samples);
    EXPECT_EQ(one.period, kPeriod * one.samples);
  }
  EXPECT_EQ(found, expected);
  // There is room for some functions only: the one with most samples with callees is among them.
  const report::SampleGrid some = report.grid({.nodes = 1000, .cells = 50, .functions = 13000});
  EXPECT_LE(some.functions.size(), 13000u);
  EXPECT_TRUE(std::ranges::any_of(some.functions,
                                  [&](const auto& one) { return some.texts[one.name] == "0x10"; }));
  // Later, a function stays with all of its times or not at all. Those with samples stay first.
  report.finish_grid({.nodes = 1000, .cells = 50});
  for (const auto& [room, kept] : {std::pair{499u, 0u}, {500u, 500u}, {1999u, 1500u}})
    EXPECT_EQ(report.grid({.nodes = 1000, .cells = 50, .functions = room}).functions.size(), kept);
}

// Times in a random order stay within bounds, and samples without a time count.
TEST(RowsOfTimes, HaveAllSamplesInAnyOrder) {
  constexpr std::uint64_t kSamples = 10'000, kItems = 500;
  report::TimeRows rows(report::TimeBins(), 4096, kItems);
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    rows.add(rows.bin_of(i * 7'919'000 % 10'007'000), i % 10, 1, 3);
    rows.add(0, 3, 1, 3);
  }
  EXPECT_LE(rows.size(), kItems + 1);
  std::map<std::uint32_t, std::uint64_t> samples;
  std::uint64_t untimed = 0, period = 0;
  rows.for_each([&](std::uint32_t bin, const report::TimeRows::Item& one) {
    (bin == 0 ? untimed : samples[one.number]) += one.samples;
    period += one.period;
  });
  EXPECT_EQ(untimed, kSamples);
  EXPECT_EQ(period, 6 * kSamples);
  EXPECT_EQ(samples.size(), 10u);
  for (const auto& [number, sum] : samples) EXPECT_EQ(sum, kSamples / 10) << number;
}

TEST_F(Stacks, RareOnesAreCutAndNoSampleIsLost) {
  constexpr std::uint64_t kRare = 500;
  for (std::uint64_t i = 0; i < kRare; ++i) sample(5, {0x1000 + i, 0x20, 0x10});
  for (std::uint64_t i = 0; i < 1000; ++i) sample(5, {0x30, 0x10});
  report::DetailedReport report({}, {.grid = true});
  (void)report.add(open());
  const report::SampleGrid grid = report.grid({100, 1000});
  EXPECT_LE(grid.nodes.size(), 100u);
  EXPECT_EQ(grid.cut, kRare);
  EXPECT_EQ(folded(grid),
            (std::vector<std::string>{":5;0x10;0x20;(cut) 500 50000", ":5;0x10;0x30 1000 100000"}));
  EXPECT_EQ(functions(grid), functions(report.grid()));
  // There is room for nothing but what is cut.
  EXPECT_EQ(report.grid({4, 1000}).cut, kRare + 1000);
  EXPECT_EQ(functions(report.grid({4, 1000})), functions(report.grid()));
}

// The tree is cut while samples are added, too: these are over a million nodes. A function that
// calls itself counts once, also if only one of its calls is cut.
TEST_F(Stacks, FunctionsCountSamplesOfStacksThatAreCut) {
  constexpr std::uint64_t kRare = 10'500, kDepth = 102, kNames = 20'011;
  std::map<std::uint64_t, std::uint64_t> expected = {{0x10, kRare}, {0x20, kRare}, {0x99, kRare}};
  for (std::uint64_t i = 0; i < kRare; ++i) {
    std::vector<std::uint64_t> chain = {0x99, 0x20};
    for (std::uint64_t at = 0; at < kDepth; ++at) {
      chain.push_back(0x100000 + (i * 7919 + at * 104729) % kNames);  // no two alike
      ++expected[chain.back()];
    }
    chain.insert(chain.end(), {0x99, 0x10});
    sample(5, chain);
  }
  report::DetailedReport report({}, {.grid = true});
  (void)report.add(open());
  const report::SampleGrid grid = report.grid({100, 1 << 20});
  EXPECT_GT(grid.cut, 0u);
  std::vector<std::string> lines;
  for (const auto& [name, all] : expected) {
    const std::uint64_t own = name == 0x99 ? kRare : 0;
    lines.push_back(fmt::format("{:#x} {} {} {} {}", name, own, own * 100, all, all * 100));
  }
  std::ranges::sort(lines);
  std::vector<std::string> counted = functions(grid);
  std::ranges::sort(counted);
  EXPECT_EQ(counted, lines);
}

// The stack of a precise sample may begin elsewhere than its instruction.
TEST_F(Stacks, AreOfTheSamplesOwnInstruction) {
  BytesOut out;
  out.u64(1).u64(0x77).u32(5).u32(5).u64(10).u32(1).u32(0).u64(100);
  out.u64(3).u64(-512).u64(0x30).u64(0x10);
  file.record(9, out.str());
  report::DetailedReport report({}, {.grid = true});
  (void)report.add(open());
  EXPECT_EQ(folded(report.grid()), (std::vector<std::string>{":5;0x10;0x30;0x77 1 100"}));
}

TEST_F(Stacks, CallersCountOnceForEachSample) {
  sample(5, {0x30, 0x20, 0x20, 0x10});
  sample(5, {0x20, 0x10});
  Report report({.keys = {SortKey::sym}, .children = true});
  (void)report.add(open());
  std::string text;
  for (const Report::Row& row : report.rows())
    text +=
        fmt::format("{} {} {} {};", row.keys[0], row.samples, row.children, row.children_period);
  EXPECT_EQ(text, "0x20 1 2 200;0x30 1 1 100;0x10 0 2 200;");
}

TEST_F(Reports, CgroupsHaveTheirPathsWhereTheRecordingTellsThem) {
  file = test::PerfFile();
  file.event(
      {.type = 1, .config = 0, .sample_type = kRawType | 1 << 21, .flags = {18, 20}, .ids = {1}});
  file.record(19,
              BytesOut().u64(77).raw(std::string("/a.slice", 8)).u64(0).raw(trailer(5, 1)).str());
  for (const std::uint64_t cgroup : {77, 77, 88})
    file.record(9, BytesOut().u64(1).u32(5).u32(5).u64(10).u32(1).u32(0).u64(1).u64(cgroup).str());
  Report report({.keys = {SortKey::cgroup}});
  (void)report.add(open());
  EXPECT_EQ(text(report), "/a.slice 2 2 0.67 10-10 0 0;88 1 1 0.33 10-10 0 0;");
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
    const auto file = Recording::open(path);
    if (!file || path.find("group-read") != path.npos || path.find("icount-names") != path.npos ||
        file->facts().form == FileFacts::Form::pipe)
      continue;  // perf counts `:S` samples there, not their values, and names none of pipes
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
    (void)report.add(*file);
    std::uint64_t samples = 0;
    for (const Report::Row& row : report.rows()) samples += row.samples;
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
