// Counts as perf stat writes them: which event, how much, of what time and place.
#include <fmt/format.h>
#include <evname/recording.hpp>

#include "metric_machine.hpp"
#include "support/perf_file.hpp"

namespace evname::test {
namespace {

/// "TIME PLACE EVENT [PMU] VALUE UNIT", what is empty left out.
std::string line_of(const CountGroup& group, const CountedEvent& counted) {
  std::string out = group.time ? fmt::format("{} ", *group.time) : "";
  if (!group.place.empty()) out += "@" + group.place + " ";
  out += counted.event;
  if (!counted.pmu.empty()) out += " [" + counted.pmu + "]";
  if (!counted.is_counted()) return out + (counted.supported ? " not counted" : " not supported");
  return out + fmt::format(" {}", counted.value) + (counted.unit.empty() ? "" : " " + counted.unit);
}

Strings lines_of(const Result<Counts>& counts) {
  Strings out;
  if (!counts) return {counts.error().message};
  for (const CountGroup& group : counts->groups)
    for (const CountedEvent& counted : group.counts) out.push_back(line_of(group, counted));
  return out;
}

// Lines of perf 6.1 and 6.12 themselves but for the numbers.
TEST(CountsText, LinesOfPerfStatAreRead) {
  struct Case {
    const char* line;
    const char* read;
  };
  const Case cases[] = {
      {"0.90,msec,task-clock,904310,100.00,0.008,CPUs utilized", "task-clock 0.9 msec"},
      {"75,,page-faults,904310,100.00,82.936,K/sec", "page-faults 75"},
      {"<not counted>,ns,system_time,0,100.00,,", "system_time not counted"},
      {"<not supported>,,cycles:u,0,100.00,,", "cycles:u not supported"},
      {"     0.050152847,80.00,msec,task-clock,79994953,100.00,1.6,CPUs utilized",
       "0.050152847 task-clock 80 msec"},
      {"     0.050152847,CPU0,1994,,page-faults,79994074,100.00,24.9,K/sec",
       "0.050152847 @CPU0 page-faults 1994"},
      {"S0,2,1994,,page-faults,79994074,100.00,,", "@S0 page-faults 1994"},
      {"S0-D0-C1,1,7,,cycles,79994074,50.00,,", "@S0-D0-C1 cycles 7"},
      {"     1.0001,S0-D0,1,7,,cycles,79994074,50.00,,", "1.0001 @S0-D0 cycles 7"},
      {"sleep-1234,75,,page-faults,904310,100.00,,", "@sleep-1234 page-faults 75"},
      {"75,,page-faults,user.slice,904310,100.00,,", "@user.slice page-faults 75"},
      {"75,,page-faults,0.50%,904310,100.00,,", "page-faults 75"},
      {"12,,cpu/event=0x3c,cmask=1/u,904310,100.00,,", "cpu/event=0x3c,cmask=1/u 12"},
      {"3.5,MiB,cas_count_read [uncore_imc_0],904310,100.00,,",
       "cas_count_read [uncore_imc_0] 3.5 MiB"},
      {"12,,INST_RETIRED.ANY/metric-id=INST_RETIRED.ANY/,904310,100.00,,", "INST_RETIRED.ANY 12"},
      {"12,,cpu/event=0x3c,metric-id=cpu!3event!20x3c!3/,9,100.00,,", "cpu/event=0x3c/ 12"},
      {"75;;page-faults;904310;100.00;;", "page-faults 75"},
      {"75\t\tpage-faults\t904310\t100.00\t\t", "page-faults 75"},
      {R"({"counter-value" : "0.876412", "unit" : "msec", "event" : "task-clock", )"
       R"("event-runtime" : 876412, "pcnt-running" : 100.00, "metric-value" : 0.008629})",
       "task-clock 0.876412 msec"},
      {R"({"interval" : 0.050153, "cpu" : "1", "counter-value" : "7.000000", "unit" : "", )"
       R"("event" : "page-faults", "event-runtime" : 1, "pcnt-running" : 100.00})",
       "0.050153 @CPU1 page-faults 7"},
      {R"({"core" : "S0-D0-C0", "aggregate-number" : 1, "counter-value" : "<not counted>", )"
       R"("unit" : "", "event" : "cycles", "event-runtime" : 0, "pcnt-running" : 100.00})",
       "@S0-D0-C0 cycles not counted"},
  };
  for (const auto& [line, read] : cases)
    EXPECT_EQ(lines_of(read_counts_text(line)), Strings{read}) << line;
}

TEST(CountsText, LinesOfPerf73AreRead) {
  struct Case {
    const char* line;
    const char* read;
  };
  const Case cases[] = {
      {"0.100189603,S0-D0-C0,1,100.43,msec,cpu-clock,100434932,100.00,1.0,CPUs  CPUs_utilized",
       "0.100189603 @S0-D0-C0 cpu-clock 100.43 msec"},
      {"<not supported>,,cpu-cycles,0.00%,0,100.00,,GHz  cycles_frequency",
       "cpu-cycles not supported"},
      {"kworker/0:1-events-30083,9068,,cycles,9068,100.00,,",
       "@kworker/0:1-events-30083 cycles 9068"},
      {"kworker/u8:2-x-87,9,,cpu/event=0x3c,cmask=1/u,9,100.00,,",
       "@kworker/u8:2-x-87 cpu/event=0x3c,cmask=1/u 9"},
      {R"({"interval" : 0.152771368, "core" : "S0-D0-C1", "counters" : 1, "counter-value" : )"
       R"("52305200.000000", "unit" : "", "event" : "instructions", "event-runtime" : 52305120, )"
       R"("pcnt-running" : 100.00, "metric-value" : "0.999997", "metric-unit" : )"
       R"("instructions  insn_per_cycle", "metric-threshold" : "bad"})",
       "0.152771368 @S0-D0-C1 instructions 52305200"},
      {R"({"thread" : "cc1plus-30564", "counter-value" : "122708497.000000", "unit" : "", )"
       R"("event" : "cycles", "event-runtime" : 122708497, "pcnt-running" : 100.00})",
       "@cc1plus-30564 cycles 122708497"},
  };
  for (const auto& [line, read] : cases)
    EXPECT_EQ(lines_of(read_counts_text(line)), Strings{read}) << line;
}

// Of perf 7.3 and of perf 6.1 with locales, but for the numbers.
TEST(CountsText, WhatPerfPrintsForPeopleIsRead) {
  struct Case {
    const char* line;
    const char* read;
  };
  const Case cases[] = {
      {"                 1      context-switches                 #    636.8 cs/sec  cs_per_second  "
       "   ",
       "context-switches 1"},
      {"              1.57 msec task-clock                       #      nan CPUs  CPUs_utilized",
       "task-clock 1.57 msec"},
      {"   <not supported>      cpu-cycles                       #      nan GHz  cycles_frequency",
       "cpu-cycles not supported"},
      {"           1802309      cycles   ", "cycles 1802309"},
      {"         1,802,309      cycles:u                         #    0.948 GHz  (62.50%)",
       "cycles:u 1802309"},
      {"         1.802.309      cycles", "cycles 1802309"},
      {"       1\u202f802\u202f309      cycles", "cycles 1802309"},
      {"         1'802'309      cycles", "cycles 1802309"},
      {"          1.802,31 msec task-clock", "task-clock 1802.31 msec"},
      {"         103166481 ns   duration_time", "duration_time 103166481 ns"},
      {"                81      page-faults                      #  60227.2 faults/sec  "
       "page_faults_per_second  ( +-  0.41% )",
       "page-faults 81"},
      {"                81      page-faults                       ( +-  0.41% )", "page-faults 81"},
      {"     0.100227042               1.33 msec task-clock     #      nan CPUs  CPUs_utilized",
       "0.100227042 task-clock 1.33 msec"},
      {"     0.200982413      <not counted> msec task-clock     #      nan CPUs  CPUs_utilized",
       "0.200982413 task-clock not counted"},
      {"CPU0                   19      context-switches          #    184.2 cs/sec  cs_per_second",
       "@CPU0 context-switches 19"},
      {"S0-D0-C1              1                 15      context-switches   #    145.3 cs/sec",
       "@S0-D0-C1 context-switches 15"},
      {"     0.100233707 S0        2             201.22 msec cpu-clock   #      2.0 CPUs",
       "0.100233707 @S0 cpu-clock 201.22 msec"},
      {"kworker/u8:2-ext4-rsv-conversion-6087                 12794      cycles    ",
       "@kworker/u8:2-ext4-rsv-conversion-6087 cycles 12794"},
      {"    Web Content 2-1652                 70210      cycles",
       "@Web Content 2-1652 cycles 70210"},
      {"              3.50 MiB  cas_count_read [uncore_imc_0]",
       "cas_count_read [uncore_imc_0] 3.5 MiB"},
      {"           1548268      cpu_core/cycles/    user.slice",
       "@user.slice cpu_core/cycles/ 1548268"},
  };
  for (const auto& [line, read] : cases)
    EXPECT_EQ(lines_of(read_counts_text(line)), Strings{read}) << line;
}

TEST(CountsText, TimesOfTheRunStandBelowTheCounts) {
  const auto counts = read_counts_text(
      "\n Performance counter stats for 'sleep 1 2 x' (3 runs):\n\n"
      "           1802309      cycles                                ( +-  0.41% )\n\n"
      "       0.052212788 +- 0.000445372 seconds time elapsed  ( +-  0.85% )\n\n"
      "       0.002852000 seconds user\n       0.000000000 seconds sys\n");
  EXPECT_EQ(lines_of(counts), (Strings{"cycles 1802309", "duration_time 0.052212788 s",
                                       "user_time 0.002852 s", "system_time 0 s"}));
  EXPECT_FALSE(counts->whole_cores);
  for (const char* value : {"0 ns", "<not counted>"})
    EXPECT_EQ(lines_of(read_counts_text(fmt::format("   {}   duration_time\n\n"
                                                    "   0.5 seconds time elapsed\n",
                                                    value))),
              Strings{"duration_time 0.5 s"})
        << value;
}

// How long the command ran is so for each CPU; what it took of them is of all together.
TEST(CountsText, OfTheRunsTimesPlacesHaveTheDurationAlone) {
  EXPECT_EQ(lines_of(read_counts_text("CPU0      19      context-switches\n"
                                      "CPU1      15      context-switches\n\n"
                                      "       0.5 seconds time elapsed\n\n"
                                      "       0.3 seconds user\n       0.1 seconds sys\n")),
            (Strings{"@CPU0 context-switches 19", "@CPU0 duration_time 0.5 s",
                     "@CPU1 context-switches 15", "@CPU1 duration_time 0.5 s"}));
}

TEST(CountsText, WhatCountsCpusIsTold) {
  const char* cycles = "         1802309      cycles\n";
  const std::string title = " Performance counter stats for '";
  EXPECT_FALSE(read_counts_text(title + "sleep 1':\n" + cycles)->whole_cores);
  EXPECT_FALSE(read_counts_text(title + "process id '77':\n" + cycles)->whole_cores);
  EXPECT_TRUE(read_counts_text(title + "system wide':\n" + cycles)->whole_cores);
  EXPECT_TRUE(read_counts_text(title + "CPU(s) 0-3':\n" + cycles)->whole_cores);
  EXPECT_TRUE(read_counts_text("S0-D0-C1,1,7,,cycles,79994074,50.00,,")->whole_cores);
  for (const char* thread :
       {"Sleep-7", "S1-33", "S1-0", "S1-9", "CPU-12", "N-7", "S0xx1", "CPU1abc2"})
    EXPECT_FALSE(read_counts_text(fmt::format("{},7,,cycles,7,50.00,,", thread))->whole_cores);
  EXPECT_TRUE(read_counts_text("7.00,msec,cpu-clock,79994074,50.00,,")->whole_cores);
  EXPECT_FALSE(read_counts_text("7.00,msec,task-clock,79994074,50.00,,")->whole_cores);
}

TEST(CountsText, TheNumberOfCountersIsKept) {
  for (const char* line :
       {"S0,2,7,,cycles,9,100.00,,", "S0        2                7      cycles",
        R"({"socket":"S0","counters":2,"counter-value":"7","event":"cycles"})",
        R"({"socket":"S0","aggregate-number":2,"counter-value":"7","event":"c"})"})
    EXPECT_EQ(read_counts_text(line)->groups.at(0).counts.at(0).counters, 2u) << line;
}

TEST(CountsText, WhatIsNoCountIsPassedOver) {
  EXPECT_EQ(lines_of(read_counts_text("# started on Sat Nov 21 13:04:54 2026\n\n"
                                      "75,,page-faults,904310,100.00,82.936,K/sec\n"
                                      ",,,,,12.5,M/sec\n")),
            Strings{"page-faults 75"});
}

// Trying each word as the end of a place took time in proportion to the square of their number.
TEST(CountsText, ManyWordsOfALineTakeLittleTime) {
  for (const std::string word : {"1 ", "1 , ", "1: ", "- "}) {
    std::string line;
    while (line.size() < 400'000) line += word;
    const auto counts = read_counts_text(line, "");
    EXPECT_TRUE(!counts || counts->empty()) << word;
  }
}

TEST(CountsText, LinesOfOneTimeAndPlaceBelongTogether) {
  const auto counts = read_counts_text(
      "1.5,CPU0,1,,a,9,100.00,,\n1.5,CPU1,2,,a,9,100.00,,\n"
      "1.5,CPU0,3,,b,9,100.00,,\n1.5,CPU1,4,,b,9,100.00,,\n"
      "2.5,CPU0,5,,a,9,100.00,,\n");
  EXPECT_EQ(lines_of(counts), (Strings{"1.5 @CPU0 a 1", "1.5 @CPU0 b 3", "1.5 @CPU1 a 2",
                                       "1.5 @CPU1 b 4", "2.5 @CPU0 a 5"}));
  EXPECT_EQ(counts->groups.size(), 3u);
}

TEST(CountsText, AnIntervalLastsFromTheEndOfTheOneBefore) {
  const auto counts = read_counts_text(
      "0.125,CPU0,1,,cycles,9,100.00,,\n0.125,CPU1,1,,cycles,9,100.00,,\n"
      "0.375,CPU0,2,,cycles,9,100.00,,\n");
  ASSERT_EQ(counts->groups.size(), 3u);
  EXPECT_EQ(counts->groups[0].seconds, 0.125);
  EXPECT_EQ(counts->groups[1].seconds, 0.125);
  EXPECT_EQ(counts->groups[2].seconds, 0.25);
  EXPECT_EQ(read_counts_text("1,,cycles,9,100.00,,")->groups.at(0).seconds, 0);
}

TEST(CountsText, TheSeparatorCanBeGiven) {
  EXPECT_EQ(lines_of(read_counts_text("75@@@@page-faults@@9@@100.00@@@@", "@@")),
            Strings{"page-faults 75"});
}

TEST(CountsText, TextWithoutCountsIsAnError) {
  for (const char* text : {"", "hello\nworld\n", "{\"a\":1}\n", "1,2,3\n", "{{{{\n", ",,,,,,,\n"})
    EXPECT_EQ(lines_of(read_counts_text(text)), Strings{"no counts of perf stat were found"});
}

// Some locales separate groups by a space, which copies of a text have in place of U+202F.
TEST(CountsText, GroupsOfDigitsMayBeSeparatedBySpaces) {
  const std::pair<const char*, const char*> cases[] = {
      {"   20 284 275 971      cycles", "cycles 20284275971"},
      {"   51 318      cycles", "cycles 51318"},
      {"   318      cycles", "cycles 318"},
      {"   1 234,56 msec task-clock", "task-clock 1234.56 msec"},
      {"   3.003641903     21 958 894      cycles   #  5,5 %  (19,97%)",
       "3.003641903 cycles 21958894"},
      {"S0-D0-C0           1         1 234      cycles", "@S0-D0-C0 cycles 1234"},
      {"S0-D0-C0           1        1234      cycles", "@S0-D0-C0 cycles 1234"},
  };
  for (const auto& [text, read] : cases)
    EXPECT_EQ(lines_of(read_counts_text(text)), Strings{read}) << text;
}

TEST(CountsText, AValueThatNoEventHasIsNotedWithItsLine) {
  struct Case {
    const char *text, *warning, *read;
  };
  const Case cases[] = {
      {"1,,cycles,9,100.00,,\nnan,,branches,9,100.00,,\n", "line 2: branches: nan is not a count",
       "branches not counted"},
      {"1,,cycles,9,100.00,,\n-inf,,branches,9,100.00,,\n", "line 2: branches: -inf is not a count",
       "branches not counted"},
      {"1,,cycles,9,100.00,,\n1e999,,branches,9,100.00,,\n",
       "line 2: branches: 1e999 is not a count", "branches not counted"},
      {"1,,cycles,9,100.00,,\n12x,,branches,9,100.00,,\n", "line 2: branches: 12x is not a count",
       "branches not counted"},
      {"1,,cycles,9,100.00,,\n-7,,branches,9,100.00,,\n",
       "line 2: branches: -7 is less than nothing", "branches not counted"},
      {"1,,cycles,9,100.00,,\n18446744073709551615,,branches,9,100.00,,\n",
       "line 2: branches: 1.8446744073709552e+19 is more than a counter counts",
       "branches not counted"},
      {"1,,cycles,9,100.00,,\n2.5,CPU0,nan,,branches,9,100.00,,\n",
       "line 2: branches: nan is not a count", "2.5 @CPU0 branches not counted"},
      {"1,,cycles,9,100.00,,\nS0,2,nan,,branches,9,100.00,,\n",
       "line 2: branches: nan is not a count", "@S0 branches not counted"},
      {R"({"counter-value" : "nan", "unit" : "", "event" : "branches"})",
       "line 1: branches: nan is not a count", "branches not counted"},
      {R"({"counter-value" : "-7.0", "unit" : "", "event" : "branches"})",
       "line 1: branches: -7 is less than nothing", "branches not counted"},
      {"  1,234      cycles\n       nan      branches\n", "line 2: branches: nan is not a count",
       "branches not counted"},
      {"  1,234      cycles\n        -7      branches\n",
       "line 2: branches: -7 is less than nothing", "branches not counted"},
  };
  for (const auto& [text, warning, read] : cases) {
    const auto counts = read_counts_text(text);
    ASSERT_TRUE(counts) << text;
    EXPECT_EQ(counts->warnings, Strings{warning}) << text;
    EXPECT_EQ(lines_of(counts).back(), read) << text;
  }
  EXPECT_EQ(lines_of(read_counts_text("-7,'C,temp1,9,100.00,,\n")), Strings{"temp1 -7 'C"});
}

TEST(CountsText, ALineThatIsCutIsNotedAndLeftOut) {
  const std::string whole = "1,,cycles,9,100.00,,\n",
                    json = R"({"counter-value" : "1", "unit" : "", "event" : "cycles"})"
                           "\n";
  const std::pair<std::string, std::string> cases[] = {
      {whole + "123,,branches,9", "line 2: the line ends after branches"},
      {whole + "123,,bran", "line 2: the line ends after bran"},
      {whole + "123,,bran\n", "line 2: the line ends after bran"},
      {whole + "123,", "line 2: the text ends inside the line"},
      {whole + "123", "line 2: the text ends inside the line"},
      {json + R"({"counter-value" : "2", "un)", "line 2: the line is not a whole JSON object"},
      {json + R"({"counter-value" : 1e999, "event" : "branches"})", "line 2: a number is too big"},
      {json + R"({"cou)", "line 2: the text ends inside the line"},
  };
  for (const auto& [text, warning] : cases) {
    const auto counts = read_counts_text(text);
    EXPECT_EQ(lines_of(counts), Strings{"cycles 1"}) << text;
    EXPECT_EQ(counts ? counts->warnings : Strings{}, Strings{warning}) << text;
  }
  // Other output of perf and programs is not a fault.
  for (const char* text : {"# started on Mon\n\n1,,cycles,9,100.00,,\n,,,,,,,0.5,insn per cycle",
                           "{\n1,,cycles,9,100.00,,\n12,34,56\n{\"a\": [\n"})
    EXPECT_EQ(read_counts_text(text)->warnings, Strings{}) << text;
}

TEST(CountsText, OfManyFaultsTheFirstAreDescribed) {
  std::string text = "1,,cycles,9,100.00,,\n";
  for (int i = 0; i < 9; ++i) text += "nan,,branches,9,100.00,,\n";
  const auto warnings = read_counts_text(text)->warnings;
  ASSERT_EQ(warnings.size(), 6u);
  EXPECT_EQ(warnings[4], "line 6: branches: nan is not a count");
  EXPECT_EQ(warnings[5], "4 more lines have no count");
}

TEST(CountsText, TheShareOfTimeThatAnEventWasCountedIsRead) {
  const std::pair<const char*, double> cases[] = {
      {"7,,cycles,9,25.00,,", 0.25},
      {"7,,cycles,9,100.00,,", 1},
      {"7,,cycles,0.50%,9,62.50,,", 0.625},
      {"0.5,S0,2,7,,cycles,9,50.00,,", 0.5},
      {R"({"counter-value" : "7", "event" : "cycles", "pcnt-running" : 12.5})", 0.125},
      {"  1,234      cycles    #    0.5 GHz    ( +-  0.31% )  (62.50%)", 0.625},
      {"  1,234      cycles    ( +-  0.31% )", 1},
      {"  1,234      cycles", 1},
  };
  for (const auto& [text, running] : cases)
    EXPECT_EQ(read_counts_text(text)->groups.at(0).counts.at(0).running, running) << text;
}

// In the locales of Germany and France; perf prints it behind the last metric of the event.
TEST(CountsText, TheShareOfTimeIsReadInEachLocaleAndBehindTheLastMetric) {
  const auto counts = read_counts_text(
      "     3.003641903    21 958 894  ex_ret_brn_misp     #  5,5 %  bad_speculation_mispredicts\n"
      "     3.003641903                                    #  0,0 %  "
      "bad_speculation_pipeline_restarts"
      "  (19,97%)\n"
      "     3.003641903    79 739 703  smt_contention      #  0,3 %  smt_contention  (39,95%)\n"
      "     3.003641903         8 854  ex_ret_ucode_ops    #  0,0 %  retiring_microcode\n");
  ASSERT_TRUE(counts) << counts.error().text();
  std::vector<double> running;
  for (const CountedEvent& one : counts->groups.at(0).counts) running.push_back(one.running);
  EXPECT_EQ(running, (std::vector<double>{0.1997, 0.3995, 1}));
}

TEST(CountsText, LinesThatAMailQuotesAreRead) {
  const auto counts = read_counts_text(
      "> >  Performance counter stats for 'sleep 1':\n> >\n"
      "> >          1,405,318      cycles                    #    2.371 GHz\n"
      ">>           8,431,908      slots                     #   14.223 G/sec  (92.27%)\n");
  ASSERT_TRUE(counts) << counts.error().text();
  ASSERT_EQ(counts->groups.at(0).counts.size(), 2u);
  EXPECT_EQ(counts->groups[0].counts[0].value, 1405318);
  EXPECT_EQ(counts->groups[0].counts[1].running, 0.9227);
}

// Records: tools/lib/perf/include/perf/event.h of Linux.
class CountRecords : public testing::Test {
 protected:
  static constexpr std::uint32_t kThreadMap = 73, kConfig = 75, kStat = 76, kRound = 77;

  void config(std::uint64_t mode, std::uint64_t interval) {
    file_.record(kConfig, file_.out().u64(2).u64(0).u64(mode).u64(1).u64(interval).str());
  }
  void threads(const std::vector<std::pair<std::uint64_t, std::string>>& list) {
    BytesOut out = file_.out();
    out.u64(list.size());
    for (const auto& [pid, comm] : list) out.u64(pid).raw(comm).pad(16 - comm.size());
    file_.record(kThreadMap, out.str());
  }
  void stat(std::uint64_t id, std::uint32_t cpu, std::uint32_t thread, std::uint64_t value,
            std::uint64_t enabled = 100, std::uint64_t running = 100) {
    file_.record(
        kStat, file_.out().u64(id).u32(cpu).u32(thread).u64(value).u64(enabled).u64(running).str());
  }
  void round(std::uint64_t time) { file_.record(kRound, file_.out().u64(1).u64(time).str()); }

  Result<Counts> read(CountsPer per = CountsPer::recorded) {
    file_.event({.type = 1, .config = 2, .ids = {11, 12}});
    file_.event({.type = 0, .config = 0, .ids = {21, 22}});
    const auto recording = Recording::open(dir_.write("perf.data", file_.file()));
    EXPECT_TRUE(recording);
    return read_counts(*recording, per);
  }

  PerfFile file_{std::endian::big};
  TempDir dir_;
};

TEST_F(CountRecords, OfAWholeRunAreSummedUp) {
  config(1, 0);
  threads({{7, "sleep"}});
  stat(11, UINT32_MAX, 0, 5);
  stat(21, UINT32_MAX, 0, 8);
  round(200000000);
  const auto counts = read();
  EXPECT_EQ(lines_of(counts), (Strings{"page-faults 5", "cycles 8", "duration_time 200000000 ns"}));
  EXPECT_FALSE(counts->whole_cores);
}

TEST_F(CountRecords, OfIntervalsAreWhatWasCountedSinceTheLastOne) {
  config(0, 100);
  threads({{UINT64_MAX, ""}});
  stat(11, 0, 0, 5);
  stat(12, 1, 0, 6);
  round(100000000);
  stat(11, 0, 0, 15, 200, 150);
  stat(12, 1, 0, 6, 200, 100);
  round(250000000);
  const auto counts = read();
  // 10 in half of the second interval: 20. CPU 1 did not count in it.
  EXPECT_EQ(
      lines_of(counts),
      (Strings{"0.1 @CPU0 page-faults 5", "0.1 @CPU0 duration_time 100000000 ns",
               "0.1 @CPU1 page-faults 6", "0.1 @CPU1 duration_time 100000000 ns",
               "0.25 @CPU0 page-faults 20", "0.25 @CPU0 duration_time 150000000 ns",
               "0.25 @CPU1 page-faults not counted", "0.25 @CPU1 duration_time 150000000 ns"}));
  EXPECT_TRUE(counts->whole_cores);
}

TEST_F(CountRecords, CanBeSummedUpOtherwise) {
  config(0, 0);
  threads({{UINT64_MAX, ""}});
  stat(11, 0, 0, 5);
  stat(12, 1, 0, 6);
  round(0);
  EXPECT_EQ(lines_of(read(CountsPer::total)), Strings{"page-faults 11"});
}

TEST_F(CountRecords, OfThreadsHaveTheirNames) {
  config(5, 0);
  file_.feature(5, file_.out().string("6.1.192").str());
  threads({{7, "one"}, {8, "two"}});
  stat(11, UINT32_MAX, 0, 5);
  stat(12, UINT32_MAX, 1, 6);
  round(0);
  EXPECT_EQ(lines_of(read()), (Strings{"@one-7 page-faults 5", "@two-8 page-faults 6"}));
}

TEST_F(CountRecords, ThatAreCutShortOrOfNoEventAreLeftOut) {
  config(1, 0);
  stat(99, 0, 0, 5);
  file_.record(kStat, file_.out().u64(11).str());
  file_.record(kThreadMap, file_.out().u64(UINT64_MAX).str());
  file_.record(kConfig, file_.out().u64(UINT64_MAX).str());
  file_.record(kRound, "");
  EXPECT_FALSE(read());
}

}  // namespace
}  // namespace evname::test
