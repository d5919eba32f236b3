// Counts of perf stat record: the records of lib/perf/include/perf/event.h, summed as
// builtin-stat.c and util/stat.c of perf sum them.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "evname/metric.hpp"
#include "evname/recording.hpp"
#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"

namespace evname::count_records_test {
namespace {

using test::BytesOut;
using test::PerfFile;

constexpr std::uint64_t kAggregation = 0, kInterval = 1, kScale = 2;

/// Two events; CPUs 0 and 1 are core 0 and 1 of socket 0, 2 and 3 core 0 and 1 of socket 1, and
/// their dies are 0, 1, 0 and 0.
PerfFile recording(std::string_view version = "6.12.5") {
  PerfFile file;
  file.event({.type = 0, .config = 0, .read_format = 3, .ids = {1, 3}});
  file.event({.type = 0, .config = 1, .read_format = 3, .ids = {2, 4}});
  file.feature(5, BytesOut().string(version).str());
  file.feature(7, BytesOut().u32(4).u32(4).str());
  BytesOut topology;
  topology.u32(2).string("0-1").string("2-3").u32(0);
  for (const std::uint32_t cpu : {0u, 1u, 2u, 3u}) topology.u32(cpu % 2).u32(cpu / 2);
  topology.u32(0);
  for (const std::uint32_t die : {0u, 1u, 0u, 0u}) topology.u32(die);
  file.feature(13, topology.str());
  return file;
}

void configure(PerfFile& file, std::uint64_t tag, std::uint64_t value) {
  file.record(75, BytesOut().u64(1).u64(tag).u64(value).str());
}
void count(PerfFile& file, std::uint64_t id, std::uint32_t cpu, std::uint32_t thread,
           std::uint64_t value, std::uint64_t enabled = 100, std::uint64_t running = 100) {
  file.record(76,
              BytesOut().u64(id).u32(cpu).u32(thread).u64(value).u64(enabled).u64(running).str());
}
void end_round(PerfFile& file, std::uint64_t time) {
  file.record(77, BytesOut().u64(1).u64(time).str());
}

class StatRecords : public testing::Test {
 protected:
  /// "TIME @PLACE EVENT VALUE UNIT (RUNNING)", what is empty left out, "; " between.
  std::string counts(const PerfFile& file, CountsPer per = CountsPer::recorded) {
    const auto opened = Recording::open(dir_.write("perf.data", file.file()));
    EXPECT_TRUE(opened);
    const auto found = read_counts(*opened, per);
    if (!found) return found.error().message;
    warnings_ = found->warnings;
    whole_cores_ = found->whole_cores;
    std::string out;
    for (const CountGroup& group : found->groups)
      for (const CountedEvent& one : group.counts) {
        out += out.empty() ? "" : "; ";
        if (group.time) out += fmt::format("{} ", *group.time);
        if (!group.place.empty()) out += "@" + group.place + " ";
        out += one.event;
        out += one.is_counted() ? fmt::format(" {}", one.value) : " none";
        if (!one.unit.empty()) out += " " + one.unit;
        if (one.running != 1) out += fmt::format(" ({})", one.running);
      }
    return out;
  }

  test::TempDir dir_;
  std::vector<std::string> warnings_;
  bool whole_cores_ = false;
};

/// Events of two boxes that EVENT_DESC calls the same, as perf records an event of the kind.
PerfFile recording_of_boxes() {
  const test::AttrSpec boxes[] = {{.type = 20, .config = 0x304, .read_format = 3, .ids = {1}},
                                  {.type = 21, .config = 0x304, .read_format = 3, .ids = {2}}};
  PerfFile file;
  BytesOut names;
  names.u32(2).u32(136);
  for (const test::AttrSpec& box : boxes) {
    file.event(box);
    names.raw(test::attr_bytes(box, std::endian::little))
        .u32(1)
        .string("uncore_imc/cas_count_read/");
    names.u64(box.ids[0]);
  }
  file.feature(6, BytesOut().string("x86_64").str());
  file.feature(9, BytesOut().string("GenuineIntel,6,85,4").str());
  file.feature(12, names.str());
  file.feature(16, BytesOut()
                       .u32(3)
                       .u32(4)
                       .string("cpu")
                       .u32(20)
                       .string("uncore_imc_0")
                       .u32(21)
                       .string("uncore_imc_1")
                       .str());
  return file;
}

// 3 + 4 reads of 64 bytes in the two boxes, which have the same name in the file.
TEST_F(StatRecords, OfBoxesAreAddedUp) {
  PerfFile file = recording_of_boxes();
  count(file, 1, 0, 0, 3);
  count(file, 2, 0, 0, 4);
  end_round(file, 1000);
  EXPECT_EQ(counts(file, CountsPer::total),
            "uncore_imc/cas_count_read/ 3; uncore_imc/cas_count_read/ 4; duration_time 1000 ns");
  const auto opened = Recording::open(dir_.write("perf.data", file.file()));
  ASSERT_TRUE(opened);
  const Machine machine = opened->machine();
  MetricSet set(machine, MetricFacts(machine));
  ASSERT_TRUE(set.add_expression("reads", "UNC_M_CAS_COUNT.RD"));
  const auto found = read_counts(*opened, CountsPer::total);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->groups.at(0).counts.at(1).pmu, "uncore_imc_1");
  EXPECT_EQ(match_counts(machine, set.events(), found->groups.at(0)).at(0).value, 7);
}

// Of perf 7.3: events of PMU "tool" (4294967294) have no ids, and their counts have id 0.
TEST_F(StatRecords, OfEventsThatPerfMeasuresItselfAreTheirs) {
  PerfFile file;
  file.event({.type = 1, .config = 1, .read_format = 3, .ids = {1}});
  file.event({.type = 4294967294, .config = 1, .read_format = 3});
  file.event({.type = 4294967294, .config = 3, .read_format = 3});
  configure(file, kInterval, 1);
  for (const std::uint64_t round : {1, 2}) {
    count(file, 1, UINT32_MAX, 0, 5 * round, 100 * round, 100 * round);
    count(file, 0, UINT32_MAX, 0, 200 * round, 100 * round, 100 * round);
    count(file, 0, UINT32_MAX, 0, 30 * round, 100 * round, 100 * round);
    end_round(file, 1000000000 * round);
  }
  EXPECT_EQ(counts(file, CountsPer::total),
            "1 task-clock 5; 1 duration_time 200 ns; 1 system_time 30 ns; "
            "2 task-clock 5; 2 duration_time 200 ns; 2 system_time 30 ns");
}

TEST_F(StatRecords, ArePerPlace) {
  PerfFile file = recording();
  for (std::uint32_t cpu = 0; cpu < 4; ++cpu) count(file, 1, cpu, 0, 1u << cpu);
  end_round(file, 1000);
  const struct {
    CountsPer per;
    const char* counts;
  } cases[] = {
      {CountsPer::total, "cycles 15; duration_time 1000 ns"},
      {CountsPer::cpu,
       "@CPU0 cycles 1; @CPU0 duration_time 1000 ns; @CPU1 cycles 2; @CPU1 duration_time 1000 ns; "
       "@CPU2 cycles 4; @CPU2 duration_time 1000 ns; @CPU3 cycles 8; @CPU3 duration_time 1000 ns"},
      {CountsPer::socket,
       "@S0 cycles 3; @S0 duration_time 1000 ns; @S1 cycles 12; @S1 "
       "duration_time 1000 ns"},
      {CountsPer::die,
       "@S0-D0 cycles 1; @S0-D0 duration_time 1000 ns; @S0-D1 cycles 2; @S0-D1 duration_time 1000 "
       "ns; @S1-D0 cycles 12; @S1-D0 duration_time 1000 ns"},
      {CountsPer::core,
       "@S0-D0-C0 cycles 1; @S0-D0-C0 duration_time 1000 ns; @S0-D1-C1 cycles 2; @S0-D1-C1 "
       "duration_time 1000 ns; @S1-D0-C0 cycles 4; @S1-D0-C0 duration_time 1000 ns; @S1-D0-C1 "
       "cycles 8; @S1-D0-C1 duration_time 1000 ns"},
      {CountsPer::thread, "@thread 0 cycles 15; @thread 0 duration_time 1000 ns"},
  };
  for (const auto& c : cases) EXPECT_EQ(counts(file, c.per), c.counts);
}

// enum aggr_mode of perf's util/stat.h: AGGR_DIE came with 5.2, AGGR_CACHE with 6.5, AGGR_CLUSTER
// with 6.9; cluster and cache are not known here.
TEST_F(StatRecords, TheModeOfEachVersion) {
  const struct {
    std::string_view version;
    std::string modes;  ///< of 0, 1 and so on: n none, t total, s socket, d die, c core, T thread
  } cases[] = {{"4.19", "ntscT?"},
               {"5.1.99", "ntscT?"},
               {"5.2", "ntsdcT?"},
               {"6.4.1", "ntsdcT?"},
               {"6.5", "ntsd?cT?"},
               {"6.8.12", "ntsd?cT?"},
               {"6.9.rc1.g123", "ntsd??cT?"},
               {"7.3", "ntsd??cT?"},
               {"10.0", "ntsd??cT?"},
               {"unknown", "ntsd??cT?"},
               {"6", "ntsdcT?"},
               {"6-x", "ntsdcT?"}};
  for (const auto& c : cases)
    for (std::size_t mode = 0; mode < c.modes.size(); ++mode) {
      PerfFile file = recording(c.version);
      configure(file, kAggregation, mode);
      count(file, 1, 3, 0, 9);
      end_round(file, 1000);
      const std::string text = counts(file);
      const char* place = c.modes[mode] == 'n'   ? "@CPU3 "
                          : c.modes[mode] == 's' ? "@S1 "
                          : c.modes[mode] == 'd' ? "@S1-D0 "
                          : c.modes[mode] == 'c' ? "@S1-D0-C1 "
                          : c.modes[mode] == 'T' ? "@thread 0 "
                                                 : "";
      EXPECT_EQ(text.substr(0, text.find(';')), std::string(place) + "cycles 9")
          << c.version << ' ' << mode;
      EXPECT_EQ(warnings_.size(), c.modes[mode] == '?' ? 1 : 0) << c.version << ' ' << mode;
      EXPECT_EQ(counts(file, CountsPer::total), "cycles 9; duration_time 1000 ns");  // asked for
      EXPECT_TRUE(warnings_.empty());
    }
}

// An event that shared its counter is scaled up (perf_counts_values__scale of perf).
TEST_F(StatRecords, AreScaled) {
  const struct {
    std::uint64_t value, enabled, running;
    const char* counts;
  } cases[] = {{50, 100, 100, "cycles 50"},        {50, 100, 50, "cycles 100 (0.5)"},
               {50, 100, 25, "cycles 200 (0.25)"}, {50, 100, 0, "cycles none"},
               {0, 0, 0, "cycles none"},           {0, 100, 50, "cycles 0 (0.5)"},
               {50, 100, 101, "cycles 50"}};
  for (const auto& c : cases) {
    PerfFile file = recording();
    count(file, 1, 0, 0, c.value, c.enabled, c.running);
    end_round(file, 1000);
    const std::string text = counts(file, CountsPer::total);
    EXPECT_EQ(text.substr(0, text.find(';')), c.counts);
  }
  // With several CPUs the smallest share of the time counts, without CPUs that did not count.
  PerfFile file = recording();
  count(file, 1, 0, 0, 10, 100, 50);
  count(file, 1, 1, 0, 10, 100, 25);
  count(file, 1, 2, 0, 10, 100, 80);
  count(file, 1, 3, 0, 99, 100, 0);
  end_round(file, 1000);
  EXPECT_EQ(counts(file, CountsPer::total), "cycles 72.5 (0.25); duration_time 1000 ns");
  PerfFile late = recording();
  count(late, 1, 0, 0, 99, 100, 0);
  count(late, 1, 1, 0, 10, 100, 50);
  end_round(late, 1000);
  EXPECT_EQ(counts(late, CountsPer::total), "cycles 20 (0.5); duration_time 1000 ns");
}

// PERF_STAT_CONFIG_TERM__SCALE is 0 with --no-scale: counts are what was counted.
TEST_F(StatRecords, AreNotScaledIfPerfDidNot) {
  for (const std::uint64_t scale : {0, 1}) {
    PerfFile file = recording();
    configure(file, kScale, scale);
    count(file, 1, 0, 0, 50, 100, 50);
    count(file, 2, 0, 0, 50, 100, 0);
    end_round(file, 1000);
    EXPECT_EQ(counts(file, CountsPer::total),
              fmt::format("cycles {} (0.5); instructions none; duration_time 1000 ns",
                          scale == 0 ? 50 : 100));
  }
}

// Intervals have what was counted since the one before.
TEST_F(StatRecords, Intervals) {
  PerfFile file = recording();
  configure(file, kInterval, 100);
  count(file, 1, 0, 0, 10);
  count(file, 2, 0, 0, 100);
  end_round(file, 1'000'000'000);
  count(file, 1, 0, 0, 30, 300, 200);
  count(file, 2, 0, 0, 150, 200, 200);
  end_round(file, 1'500'000'000);
  count(file, 1, 0, 0, 29, 400, 300);  // less than before
  count(file, 2, 0, 0, 150, 300, 300);
  end_round(file, 1'750'000'000);
  EXPECT_EQ(counts(file, CountsPer::total),
            "1 cycles 10; 1 instructions 100; 1 duration_time 1000000000 ns; "
            "1.5 cycles 40 (0.5); 1.5 instructions 50; 1.5 duration_time 500000000 ns; "
            "1.75 cycles none; 1.75 instructions 0; 1.75 duration_time 250000000 ns");
}

// THREAD_MAP has the threads; -1 stands for all that runs on a CPU.
TEST_F(StatRecords, Threads) {
  const struct {
    std::int64_t pid;
    bool whole_cores;
  } cases[] = {{-1, true}, {0, false}, {123, false}};
  for (const auto& c : cases) {
    PerfFile file = recording();
    file.record(73, BytesOut()
                        .u64(1)
                        .u64(static_cast<std::uint64_t>(c.pid))
                        .raw(std::string("sleep").append(11, '\0'))
                        .str());
    count(file, 1, 0, 0, 10);
    count(file, 1, 1, 0, 20);
    count(file, 1, 0, 1, 5);
    end_round(file, 1000);
    EXPECT_EQ(counts(file, CountsPer::thread),
              "@sleep-" + std::to_string(c.pid) + " cycles 30; @sleep-" + std::to_string(c.pid) +
                  " duration_time 1000 ns; @thread 1 cycles 5; @thread 1 duration_time 1000 ns");
    EXPECT_EQ(whole_cores_, c.whole_cores) << c.pid;
  }
  PerfFile file = recording();
  count(file, 1, 0, 0, 10);
  end_round(file, 1000);
  counts(file);
  EXPECT_FALSE(whole_cores_);
}

// perf says so of each, too: "Failed to resolve counter for stat event".
TEST_F(StatRecords, WhatIsLeftOutIsReported) {
  PerfFile file = recording();
  count(file, 1, 0, 0, 10);
  count(file, 77, 0, 0, 10);
  file.record(76, BytesOut().u64(1).u32(0).u32(0).u64(10).u64(100).str());
  file.record(73, BytesOut().u64(1).u64(1).str());
  file.record(75, BytesOut().u64(1).u64(1).str());
  end_round(file, 1000);
  file.record(77, BytesOut().u64(1).str());
  for (const std::uint32_t cpu : {0u, 1u}) count(file, 1, cpu, 0, 10);
  EXPECT_EQ(counts(file, CountsPer::total), "cycles 10; duration_time 1000 ns");
  EXPECT_EQ(warnings_,
            (std::vector<std::string>{"1 count is of no event of the file, and left out",
                                      "4 records of counts are too short, and left out",
                                      "2 counts are of a round that did not end, and left out"}));
}

// Counts of no event, and those after the last round, are none.
TEST_F(StatRecords, WhatDoesNotCount) {
  PerfFile file = recording();
  count(file, 77, 0, 0, 10);
  end_round(file, 1000);
  count(file, 1, 0, 0, 10);
  EXPECT_EQ(counts(file), "the file has no counts; perf stat record writes them");
  PerfFile cut = recording();
  cut.record(76, BytesOut().u64(1).u32(0).u32(0).u64(10).u64(100).str());
  cut.record(77, BytesOut().u64(1).str());
  EXPECT_EQ(counts(cut), "the file has no counts; perf stat record writes them");
}

}  // namespace
}  // namespace evname::count_records_test
