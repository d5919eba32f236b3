// Memory accesses of reports; tests/command/memory_test.py compares them with perf.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "evname/report.hpp"
#include "recordings/report/access_collectors.hpp"
#include "recordings/report/detailed_report.hpp"
#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"

namespace evname {
namespace {

using test::BytesOut;
using test::PerfFile;

// IDENTIFIER, IP, TID, TIME, ADDR, CPU; WEIGHT and DATA_SRC follow.
constexpr std::uint64_t kPlain = 0x10000 | 1 | 2 | 4 | 8 | 128, kAccess = kPlain | 0x4000 | 0x8000;
// Operation, level, snoop: union perf_mem_data_src of include/uapi/linux/perf_event.h.
constexpr std::uint64_t kLoadL1 = 2 | 0xa << 5 | std::uint64_t{2} << 19;
constexpr std::uint64_t kLoadModified = 2 | 0x42 << 5 | std::uint64_t{16} << 19;
constexpr std::uint64_t kStoreL1 = 4 | 0xa << 5;

class MemoryReports : public testing::Test {
 protected:
  MemoryReports() {
    file.event({.type = 4, .config = 0x1cd, .sample_type = kAccess, .ids = {1}});
    file.event({.type = 1, .config = 0, .sample_type = kPlain, .ids = {2}});
  }
  void access(std::uint32_t tid, std::uint64_t address, std::uint64_t source,
              std::uint64_t weight) {
    BytesOut out;
    out.u64(1).u64(0x401000).u32(5).u32(tid).u64(time += 100).u64(address).u32(tid % 4).u32(0);
    file.record(9, out.u64(weight).u64(source).str(), 2);
  }
  void other(std::uint32_t tid) {
    BytesOut out;
    out.u64(2).u64(0x401000).u32(5).u32(tid).u64(time += 100).u64(0).u32(0).u32(0);
    file.record(9, out.str(), 2);
  }
  report::DetailedReport report(ReportOptions options, report::Details details = {}) {
    report::DetailedReport out(std::move(options), details);
    (void)out.add(*Recording::open(dir.write("perf.data", file.file())));
    return out;
  }
  std::map<std::string, std::uint64_t> samples_by(const Report& report, SortKey key) {
    std::map<std::string, std::uint64_t> out;
    for (const Report::MemoryRow& row : report.memory())
      if (row.key == key) out[row.value] += row.samples;
    return out;
  }
  PerfFile file;
  std::uint64_t time = 1000;
  test::TempDir dir;
};

TEST_F(MemoryReports, RowsHaveTheirWeights) {
  access(5, 0x1000, kLoadL1, 4);
  access(5, 0x1008, kLoadL1, 0);
  access(5, 0x1010, kLoadModified, 100);
  const auto rows = report({.keys = {SortKey::mem}, .memory = true}).rows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].keys[0], "L1 hit");
  EXPECT_EQ(rows[0].weights.cost, 5u);
  EXPECT_EQ(rows[0].weights.sum, 4u);
  EXPECT_EQ(rows[0].weights.weighted, 1u);
  EXPECT_EQ(rows[1].weights.most, 100u);
  EXPECT_EQ(report({.keys = {SortKey::mem}}).rows()[0].weights.cost, 0u);
}

TEST_F(MemoryReports, SamplesWithoutAFieldAreCounted) {
  access(5, 0, 0, 0);
  access(5, 0x1000, kLoadL1, 4);
  other(5);
  const Report made = report({.memory = true});
  using Counts = std::map<std::string, std::uint64_t>;
  EXPECT_EQ(samples_by(made, SortKey::mem), (Counts{{"-", 1}, {"L1 hit", 1}, {"N/A", 1}}));
  EXPECT_EQ(samples_by(made, SortKey::latency), (Counts{{"-", 1}, {"0", 1}, {"4-7", 1}}));
  EXPECT_EQ(samples_by(made, SortKey::dcacheline), (Counts{{"0x0", 2}, {"0x1000", 1}}));
}

TEST_F(MemoryReports, LatenciesAreInTheirOrder) {
  for (const std::uint64_t weight : {UINT64_MAX, std::uint64_t{1} << 63, std::uint64_t{1}})
    access(5, 0x1000, kLoadL1, weight);
  std::string values;
  for (const Report::MemoryRow& row : report({.memory = true}).memory())
    if (row.key == SortKey::latency) values += row.value + ' ';
  EXPECT_EQ(values, "1 9223372036854775808-18446744073709551615 ");
}

TEST_F(MemoryReports, LinesAreChosenByWhatTheCpuReports) {
  for (int i = 0; i < 3; ++i) access(5, 0x1000, kStoreL1, 0);
  for (const std::uint32_t tid : {5u, 6u}) access(tid, 0, kStoreL1, 0);  // no address, no line
  access(6, 0x1010, kLoadL1, 4);
  access(7, 0x2000, kLoadL1, 4);
  const report::Sharing plain = report({}, {.sharing = true}).sharing();
  EXPECT_EQ(plain.by, report::Contention::threads);
  ASSERT_EQ(plain.lines.size(), 1u);
  EXPECT_EQ(plain.lines[0].place, "0x1000");
  EXPECT_EQ(plain.lines[0].threads, 2u);
  ASSERT_EQ(plain.lines[0].accesses.size(), 2u);
  EXPECT_EQ(plain.lines[0].accesses[0].counts.stores, 3u);
  EXPECT_EQ(plain.lines[0].accesses[1].offset, 0x10u);

  access(6, 0x2000, kLoadModified, 100);
  const report::DetailedReport made = report({}, {.sharing = true});
  EXPECT_EQ(made.sharing().by, report::Contention::hitm);
  ASSERT_EQ(made.sharing().lines.size(), 1u);
  EXPECT_EQ(made.sharing().lines[0].address, 0x2000u);
  EXPECT_EQ(made.sharing().lines[0].accesses[0].local_hitm.mean(), 100.0);
  EXPECT_EQ(made.sharing(report::Contention::threads).lines.size(), 1u);
  EXPECT_TRUE(made.sharing(report::Contention::peer).lines.empty());
}

TEST_F(MemoryReports, ManyAccessesFitTheGrid) {
  for (std::uint32_t i = 0; i < 4000; ++i)
    access(5 + i % 3, 0x1000 + i % 64 * 64, kStoreL1, i % 50);
  const report::DetailedReport made = report({}, {.grid = true, .sharing = true});
  const report::SampleGrid fine = made.grid(), coarse = made.grid({.accesses = 500});
  const auto sums = [](const report::SampleGrid& grid) {
    std::pair<std::uint64_t, std::uint64_t> out;
    for (const report::SampleGrid::Access& one : grid.accesses)
      out.first += one.samples, out.second += one.weight;
    return out;
  };
  EXPECT_EQ(fine.accesses.size(), 4000u);
  EXPECT_LE(coarse.accesses.size(), 500u);
  EXPECT_GT(coarse.accesses.size(), 20u);
  EXPECT_EQ(sums(fine), (std::pair{std::uint64_t{4000}, std::uint64_t{4000 / 50 * 1225}}));
  EXPECT_EQ(sums(coarse), sums(fine));
  EXPECT_EQ(coarse.access_width % fine.access_width, 0u);
  EXPECT_EQ(fine.sources.size(), 1u);
}

// A million different accesses are thinned until there is room for half as many.
TEST(AccessTimelines, ManyLinesMakeRoom) {
  constexpr std::uint32_t kRoom = 1 << 20, kMore = 100;
  report::AccessTimeline timeline;
  for (std::uint32_t i = 0; i < kRoom + kMore; ++i) {  // line 0 has more than the others
    const bool is_first = i % 4 == 0;
    timeline.add({.line = is_first ? 0 : i / 2 + 1, .source = is_first ? i : i % 2, .samples = 1},
                 {}, {});
  }
  EXPECT_LE(timeline.cells().size(), kRoom / 2 + kMore);
  std::uint64_t samples = 0, first = 0;
  for (const report::SampleGrid::Access& cell : timeline.cells()) {
    samples += cell.samples;
    if (cell.line == 0) first += cell.samples;
  }
  EXPECT_EQ(samples, kRoom + kMore);
  EXPECT_EQ(first, (kRoom + kMore) / 4);
}

// Cells that can't become fewer are not put in order for each that comes.
TEST(AccessTimelines, ManySourcesAreSortedOnce) {
  constexpr std::uint32_t kRoom = 1 << 20;
  report::AccessTimeline timeline;
  for (std::uint32_t i = kRoom + 3; i-- > 0;)
    timeline.add({.line = report::SampleGrid::kNone, .source = i, .samples = 1}, {}, {});
  const auto& cells = timeline.cells();
  ASSERT_EQ(cells.size(), kRoom + 3);
  EXPECT_EQ(cells[kRoom + 1].source, 1u);
  EXPECT_EQ(cells[kRoom + 2].source, 0u);
}

TEST_F(MemoryReports, EventsThatAreNotAboutMemoryHaveNoTimes) {
  access(5, 0x1000, kLoadL1, 4);
  other(5);
  EXPECT_EQ(report({}, {.grid = true, .sharing = true}).grid().accesses.size(), 1u);
  EXPECT_EQ(report({}, {.sharing = true}).sharing().all.records, 2u);
}

}  // namespace
}  // namespace evname
