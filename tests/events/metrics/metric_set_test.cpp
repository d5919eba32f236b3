// Metrics of a machine: which there are, what they need, and their values.
#include <fmt/format.h>

#include "events/metrics/metric_steps.hpp"
#include "metric_machine.hpp"

namespace evname::test {
namespace {

// Linux 6.12: tools/perf/pmu-events/arch/test/test_soc/cpu/metrics.json.
const std::vector<MetricRow> kTestSoc = {
    {.name = "CPI", .expr = "1 / IPC"},
    {.name = "IPC", .expr = "inst_retired.any / cpu_clk_unhalted.thread", .group = "group1"},
    {.name = "dcache_miss_cpi", .expr = "l1d\\-loads\\-misses / inst_retired.any"},
    {.name = "icache_miss_cycles", .expr = "l1i\\-loads\\-misses / inst_retired.any"},
    {.name = "cache_miss_cycles",
     .expr = "(dcache_miss_cpi + icache_miss_cycles)",
     .group = "group1"},
    {.name = "DCache_L2_All_Hits",
     .expr = "l2_rqsts.demand_data_rd_hit + l2_rqsts.pf_hit + l2_rqsts.rfo_hit"},
    {.name = "DCache_L2_All_Miss",
     .expr = "max(l2_rqsts.all_demand_data_rd - l2_rqsts.demand_data_rd_hit, 0) + "
             "l2_rqsts.pf_miss + l2_rqsts.rfo_miss"},
    {.name = "DCache_L2_All", .expr = "DCache_L2_All_Hits + DCache_L2_All_Miss"},
    {.name = "DCache_L2_Hits", .expr = "d_ratio(DCache_L2_All_Hits, DCache_L2_All)"},
    {.name = "DCache_L2_Misses", .expr = "d_ratio(DCache_L2_All_Miss, DCache_L2_All)"},
    {.name = "M1", .expr = "ipc + M2"},
    {.name = "M2", .expr = "ipc + M1"},
    {.name = "M3", .expr = "1/M3"},
    {.name = "L1D_Cache_Fill_BW", .expr = "64 * l1d.replacement / 1000000000 / duration_time"},
};

// The same: tools/perf/tests/parse-metric.c.
TEST(MetricSet, PerfsOwnTestMetricsHavePerfsValues) {
  const MetricMachine on(kTestSoc);
  const CountsByName counts = {
      {"inst_retired.any", 400},  {"cpu_clk_unhalted.thread", 200},     {"l1d-loads-misses", 300},
      {"l1i-loads-misses", 200},  {"l2_rqsts.demand_data_rd_hit", 100}, {"l2_rqsts.pf_hit", 200},
      {"l2_rqsts.rfo_hit", 300},  {"l2_rqsts.all_demand_data_rd", 400}, {"l2_rqsts.pf_miss", 500},
      {"l2_rqsts.rfo_miss", 600}, {"l1d.replacement", 4000000},         {"duration_time", 0.2}};
  EXPECT_DOUBLE_EQ(value_of(on, "IPC", counts), 2);
  EXPECT_DOUBLE_EQ(value_of(on, "CPI", counts), 0.5);
  EXPECT_DOUBLE_EQ(value_of(on, "cache_miss_cycles", counts), 1.25);
  EXPECT_DOUBLE_EQ(value_of(on, "DCache_L2_Hits", counts), 0.3);
  EXPECT_DOUBLE_EQ(value_of(on, "DCache_L2_Misses", counts), 0.7);
  EXPECT_DOUBLE_EQ(value_of(on, "L1D_Cache_Fill_BW", counts), 1.28);
}

// Linux 7.3, util/metricgroup.c: `-M` ignores case, and a reference in an expression does not.
TEST(MetricSet, OnlyExactNamesInExpressionsAreMetrics) {
  const MetricMachine on({{.name = "IPC", .expr = "inst_retired.any", .threshold = "IPC > 1"},
                          {.name = "ipc", .expr = "cpu_clk_unhalted.thread"},
                          {.name = "Inst_Retired.Any", .expr = "inst_retired.any / 2"},
                          {.name = "Other", .expr = "ipc + IPC", .threshold = "other > 1"}});
  const CountsByName counts = {
      {"inst_retired.any", 4}, {"cpu_clk_unhalted.thread", 10}, {"other", 9}};
  EXPECT_EQ(value_of(on, "Other", counts), 14);
  EXPECT_EQ(value_of(on, "inst_retired.ANY", counts), 2);  // of the event, not of itself
  MetricSet set = on.set();
  ASSERT_TRUE(set.add("OTHER"));
  EXPECT_EQ(event_texts(set), (Strings{"cpu_clk_unhalted.thread", "inst_retired.any", "other"}));
  const std::vector<std::size_t> expected{0, 1};  // "other" is an event of the threshold
  EXPECT_EQ(std::vector(set.events_of(0).begin(), set.events_of(0).end()), expected);
}

TEST(MetricSet, AnEventOfAThresholdIsAnEventOfTheMetricThatIsAddedLater) {
  const MetricMachine on(
      {{.name = "first", .expr = "inst_retired.any", .threshold = "first > 1 & second > 2"},
       {.name = "second", .expr = "cpu_clk_unhalted.thread"}});
  MetricSet set = on.set();
  ASSERT_TRUE(set.add("first"));
  ASSERT_EQ(set.events().size(), 2u);
  EXPECT_TRUE(set.events()[1].for_threshold);
  ASSERT_TRUE(set.add("second"));
  EXPECT_FALSE(set.events()[1].for_threshold);
}

TEST(MetricSet, MetricsAreStepsInPostfixOrder) {
  const MetricMachine on({{.name = "ratio", .expr = "inst_retired.any / cpu_clk_unhalted.thread"},
                          {.name = "part",
                           .expr = "max(ratio - 1, 0) if ratio > 2 else -ratio",
                           .threshold = "part < 5",
                           .unit = "100%"}});
  MetricSet set = on.set();
  ASSERT_TRUE(set.add("part"));
  const std::size_t wanted[] = {0};
  const std::string words[] = {"a", "b"};
  const auto steps = metrics::MetricSteps::of(set, wanted, words);
  const std::vector<std::string> expected = {"a b /", "r0 1 - 0 max r0 2 > r0 neg if", "r1 100 *",
                                             "r1 5 <"};
  EXPECT_EQ(steps.steps, expected);
  EXPECT_EQ(steps.values, std::vector<std::size_t>{2});
  EXPECT_EQ(steps.thresholds, std::vector<std::size_t>{3});
}

TEST(MetricSet, MetricsThatNeedThemselvesAreRefusedAndTheWayIsTold) {
  const MetricMachine on(kTestSoc);
  MetricSet set = on.set();
  const auto round = set.add("M1"), self = set.add("M3");
  ASSERT_FALSE(round || self);
  EXPECT_EQ(round.error().message, "metric 'M1' needs itself");
  EXPECT_EQ(round.error().hint, "M1 -> M2 -> M1");
  EXPECT_EQ(self.error().message, "metric 'M3' needs itself");
}

/// Less those that every machine has.
std::vector<MetricInfo> without_common(std::span<const MetricInfo> metrics) {
  std::vector<MetricInfo> out(metrics.begin(), metrics.end());
  std::erase_if(out, [](const MetricInfo& one) { return one.model == "common"; });
  return out;
}

TEST(MetricSet, AGroupIsAllItsMetricsAndEventsAreCountedOnce) {
  MetricSet set = MetricMachine(kTestSoc).set();
  ASSERT_TRUE(set.add("GROUP1"));
  ASSERT_EQ(set.metrics().size(), 2u);
  EXPECT_EQ(set.metrics()[0].name, "IPC");
  EXPECT_EQ(event_texts(set), (Strings{"inst_retired.any", "cpu_clk_unhalted.thread",
                                       "l1d-loads-misses", "l1i-loads-misses"}));
  EXPECT_EQ(std::vector(set.events_of(1).begin(), set.events_of(1).end()),
            (std::vector<std::size_t>{0, 2, 3}));
}

TEST(MetricSet, OfAGroupTheRestIsAddedWhereSomeCanNotBe) {
  MetricSet set = MetricMachine(kTestSoc).set();
  ASSERT_TRUE(set.add("all"));
  EXPECT_EQ(without_common(set.metrics()).size(), kTestSoc.size() - 3);
  ASSERT_EQ(set.warnings().size(), 3u);
  EXPECT_EQ(set.warnings()[0], "M1: metric 'M1' needs itself (M1 -> M2 -> M1)");
}

TEST(MetricSet, OfAGroupThatCanNotBeTheLastFaultIsTheError) {
  MetricSet set = MetricMachine({{.name = "A", .expr = "B", .group = "Bad"},
                                 {.name = "B", .expr = "A", .group = "Bad"},
                                 {.name = "C", .expr = "C", .group = "Bad"}})
                      .set();
  const auto added = set.add("Bad");
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().text(), "C: metric 'C' needs itself (C -> C)");
  EXPECT_EQ(Strings(set.warnings().begin(), set.warnings().end()),
            (Strings{"A: metric 'A' needs itself (A -> B -> A)",
                     "B: metric 'B' needs itself (B -> A -> B)"}));
  EXPECT_TRUE(set.metrics().empty());
}

TEST(MetricSet, AnUnknownNameIsAnErrorWithTheNearestOnes) {
  MetricSet set = MetricMachine(kTestSoc).set();
  const auto added = set.add("cache_mis_cycle");
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, Errc::not_found);
  EXPECT_NE(added.error().hint.find("cache_miss_cycles"), std::string::npos);
}

// One edit, and one more for three letters.
TEST(MetricSet, NamesThatAreMeantAreNear) {
  const MetricMachine on(
      {{.name = "IPC", .expr = "1", .group = "TheGroup"}, {.name = "longer_name", .expr = "2"}});
  const struct {
    std::string word;
    const char* hint;
  } rows[] = {{"IPX", "IPC"},
              {"iXX", "IPC"},
              {"XXX", ""},
              {"XC", ""},
              {"PC", "IPC"},
              {"theGroop", "TheGroup"},
              {"ThXXXoup", "TheGroup"},
              {"ThXXXXup", ""},
              {"longer_name_", "longer_name"},
              {"longXXXXame", "longer_name"},
              {"lonXXXXXame", ""},
              {std::string(129, 'I'), ""}};
  for (const auto& row : rows) {
    const auto added = on.set().add(row.word);
    ASSERT_FALSE(added) << row.word;
    const std::string hint = *row.hint == '\0' ? "" : fmt::format("did you mean {}?", row.hint);
    EXPECT_EQ(added.error().hint, hint) << row.word;
  }
}

TEST(MetricSet, OfMoreThanAHundredUnknownNamesNoNearOnesAreLookedFor) {
  MetricSet set = MetricMachine({{.name = "IPC", .expr = "1"}}).set();
  for (int i = 1; i <= 102; ++i) EXPECT_EQ(set.add("IPX").error().hint.empty(), i > 100) << i;
}

TEST(MetricSet, EventsAreSpelledWithSlashesAndEncoded) {
  MetricSet set = MetricMachine({{.name = "M",
                                  .expr = "cpu@event\\=0x3c\\,cmask\\=1@u + INST_RETIRED.ANY:k + "
                                          "unc_c_clockticks + duration_time"}})
                      .set();
  ASSERT_TRUE(set.add("m"));
  ASSERT_EQ(event_texts(set), (Strings{"cpu/event=0x3c,cmask=1/u", "INST_RETIRED.ANY:k",
                                       "unc_c_clockticks", "duration_time"}));
  // cmask is bits 24 to 31 of the fake PMU's config.
  EXPECT_EQ(set.events()[0].encodings.at(0).code.config[0], 0x100003cu);
  EXPECT_TRUE(set.events()[0].encodings[0].bits.exclude_kernel);
  EXPECT_EQ(set.events()[1].encodings.at(0).code.config[0], 0xc0u);
  EXPECT_EQ(set.events()[2].encodings.size(), 2u);  // uncore_cbox_0 and uncore_cbox_1
  EXPECT_TRUE(set.events()[3].is_tool());
}

// Linux 7.3, tools/perf/util/tool_pmu.c.
TEST(MetricSet, AFactThatIsAnEventNeedNotBeCounted) {
  const MetricMachine on({{.name = "M", .expr = "tool@num_cpus_online@ + num_cores"},
                          {.name = "T", .expr = "tool@duration_time@ + user_time + system_time"}});
  MetricFacts facts(on.machine());
  facts.set("num_cpus_online", 8);
  facts.set("num_cores", 4);
  MetricSet set(on.machine(), facts);
  ASSERT_TRUE(set.add("M") && set.add("T"));
  EXPECT_EQ(set.evaluate({})[0].value, 12);
  EXPECT_EQ(set.evaluate(std::vector<EventCount>{{16}, {2}})[0].value, 18);
  const ToolTime times[] = {ToolTime::none, ToolTime::none, ToolTime::elapsed, ToolTime::user,
                            ToolTime::system};
  for (std::size_t i = 0; i < std::size(times); ++i) {
    EXPECT_EQ(set.events()[i].tool_time(), times[i]) << i;
    EXPECT_EQ(set.events()[i].is_known(), times[i] == ToolTime::none) << i;
  }
}

TEST(MetricSet, AnEventThatIsNotThereIsTold) {
  MetricSet set = MetricMachine({{.name = "M", .expr = "no_such_event / inst_retired.any"}}).set();
  ASSERT_TRUE(set.add("M"));
  EXPECT_TRUE(set.events()[0].encodings.empty());
  EXPECT_NE(set.events()[0].problem.find("no_such_event"), std::string::npos);
  EXPECT_TRUE(std::isnan(set.evaluate(counts_of(set, {{"inst_retired.any", 1}})).at(0).value));
}

TEST(MetricSet, WhatTheMachineDecidesNeedsNoEvents) {
  const MetricMachine on({{.name = "M", .expr = "inst_retired.any if #SMT_on else 3"},
                          {.name = "H", .expr = "1 if has_event(inst_retired.any) else a"},
                          {.name = "N", .expr = "1 if has_event(no_such_event) else 2"}});
  MetricFacts facts(on.machine());
  facts.set("smt_on", 0);
  MetricSet set(on.machine(), facts);
  ASSERT_TRUE(set.add("M") && set.add("H") && set.add("N"));
  EXPECT_EQ(event_texts(set), Strings{});
  const auto values = set.evaluate({});
  EXPECT_EQ(values[0].value, 3);
  EXPECT_EQ(values[1].value, 1);
  EXPECT_EQ(values[2].value, 2);
}

TEST(MetricSet, AFactThatIsNotKnownIsAnErrorWhereItMatters) {
  MetricSet set = MetricMachine({{.name = "M", .expr = "inst_retired.any / #num_cores"}}).set();
  const auto added = set.add("M");
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, Errc::unsupported);
  EXPECT_EQ(added.error().message, "'#num_cores' has no value on this machine");
}

TEST(MetricSet, SourcesAreCountedOrThoseOfTheMachine) {
  MetricSet set =
      MetricMachine({{.name = "M", .expr = "unc_c_clockticks / source_count(unc_c_clockticks)"}})
          .set();
  ASSERT_TRUE(set.add("M"));
  const EventCount merged{100, 0}, of_five{100, 5};
  EXPECT_DOUBLE_EQ(set.evaluate(std::span(&merged, 1))[0].value, 50);
  EXPECT_DOUBLE_EQ(set.evaluate(std::span(&of_five, 1))[0].value, 20);
}

// Linux 7.3, tools/perf/util/expr.c: at least 1.
TEST(MetricSet, CountersAreThoseThatPerfToldOrThatTheTargetHas) {
  struct Case {
    EventCount count;
    double target_cpu, online, value;
  };
  const Case cases[] = {{{100, 0, 5}, 0, 8, 20}, {{100}, 0, 8, 100}, {{100}, 1, 8, 12.5}};
  const MetricMachine on({{.name = "M", .expr = "inst_retired.any / aggr_nr(inst_retired.any)"}});
  for (const Case& c : cases) {
    MetricFacts facts(on.machine());
    facts.set("target_cpu", c.target_cpu);
    facts.set("num_cpus_online", c.online);
    MetricSet set(on.machine(), facts);
    ASSERT_TRUE(set.add("M"));
    EXPECT_DOUBLE_EQ(set.evaluate(std::span(&c.count, 1))[0].value, c.value);
  }
}

TEST(MetricSet, WhatIsCountedDecidesWhichEventsAreNeeded) {
  const MetricMachine on({{.name = "M", .expr = "cpu\\-clock if #target_cpu else task\\-clock"}});
  for (const bool cpus : {false, true}) {
    MetricFacts facts(on.machine());
    if (cpus) facts.set("target_cpu", 1);
    MetricSet set(on.machine(), facts);
    ASSERT_TRUE(set.add("M"));
    EXPECT_EQ(event_texts(set), Strings{cpus ? "cpu-clock" : "task-clock"});
  }
}

// Linux 7.3, tools/perf/util/intel-tpebs.c: whole cycles; a count comes first.
TEST(MetricSet, RetirementLatenciesAreThoseOfTheTables) {
  const auto machine = Machine::named("graniterapids");
  if (!machine) GTEST_SKIP() << "no tables of graniterapids are built in";
  const std::string_view event = "MEM_INST_RETIRED.LOCK_LOADS:R";  // mean 63.76, 15 to 5156
  using enum MetricFacts::Latency;
  for (const auto& [latency, value] : {std::pair(mean, 128.0), {min, 30.0}, {max, 10312.0}}) {
    MetricFacts facts(*machine);
    facts.set_latency(latency);
    MetricSet set(*machine, facts);
    ASSERT_TRUE(set.add_expression("M", fmt::format("{} * 2", event)));
    EXPECT_EQ(set.evaluate({})[0].value, value);
    const EventCount counted{7};
    EXPECT_EQ(set.evaluate(std::span(&counted, 1))[0].value, 14);
    EXPECT_TRUE(set.schedule(set.events_of(0), {})->groups.empty());
  }
  MetricSet set(*machine, MetricFacts(*machine));
  ASSERT_TRUE(set.add_expression("N", "MEM_INST_RETIRED.LOCK_LOADS + L1D.REPLACEMENT:R"));
  for (const MetricEvent& one : set.events()) EXPECT_FALSE(one.is_known()) << one.text;
}

TEST(MetricSet, AMetricOfAnyCoreIsThereForEachOfSeveral) {
  const auto machine = Machine::named("alderlake");
  if (!machine) GTEST_SKIP() << "no tables of alderlake are built in";
  MetricSet set(*machine, MetricFacts(*machine));
  ASSERT_TRUE(set.add("insn_per_cycle"));
  ASSERT_EQ(set.metrics().size(), 2u);
  EXPECT_EQ(set.metrics()[0].pmu, "cpu_atom");
  EXPECT_EQ(set.metrics()[1].pmu, "cpu_core");
  for (const MetricEvent& event : set.events()) EXPECT_EQ(event.encodings.size(), 1u);
  const EventCount counts[] = {{2}, {4}, {9}, {3}};  // instructions and cycles of each
  const auto values = set.evaluate(counts);
  EXPECT_DOUBLE_EQ(values[0].value, 0.5);
  EXPECT_DOUBLE_EQ(values[1].value, 3);
}

// perf 7.3 has these for every CPU.
TEST(MetricSet, WhatPerfPrintsByDefaultIsThereOnEveryMachine) {
  for (const char* cpu :
       {"skylakex", "neoverse-n1", "cortex-a15", "power9", "GenuineIntel-6-FF-1"}) {
    const auto machine = Machine::named(cpu);
    if (!machine) continue;
    const auto metrics = list_metrics(*machine, "*", "Default");
    EXPECT_EQ(metrics.size(), 11u) << cpu;
    for (const MetricInfo& metric : metrics) EXPECT_TRUE(metric.shows_events) << metric.name;
  }
}

TEST(MetricSet, ValuesAreInTheMetricsUnitAndThresholdsSpeakOfTheUnscaledOne) {
  const MetricMachine on({{.name = "Share",
                           .expr = "inst_retired.any / cpu_clk_unhalted.thread",
                           .threshold = "Share > 0.5 & Other < 10",
                           .unit = "100%"},
                          {.name = "Other", .expr = "unc_c_clockticks"}});
  MetricSet set = on.set();
  ASSERT_TRUE(set.add("Share"));
  EXPECT_EQ(set.metrics()[0].scale, 100);
  EXPECT_EQ(set.metrics()[0].unit, "%");
  EXPECT_EQ(std::vector(set.events_of(0).begin(), set.events_of(0).end()),
            (std::vector<std::size_t>{0, 1}));
  ASSERT_EQ(set.events().size(), 3u);
  EXPECT_TRUE(set.events()[2].for_threshold);
  struct Case {
    double instructions, cycles, clockticks, value;
    std::optional<bool> beyond;
  };
  const double kNotCounted = std::numeric_limits<double>::quiet_NaN();
  const Case cases[] = {{3, 4, 5, 75, true},
                        {1, 4, 5, 25, false},
                        {3, 4, 50, 75, false},
                        {3, 4, kNotCounted, 75, std::nullopt},
                        {1, 4, kNotCounted, 25, false}};
  for (const Case& c : cases) {
    const EventCount counts[] = {{c.instructions}, {c.cycles}, {c.clockticks}};
    const MetricSet::Value value = set.evaluate(counts).at(0);
    EXPECT_DOUBLE_EQ(value.value, c.value);
    EXPECT_EQ(value.beyond, c.beyond) << c.instructions << " " << c.clockticks;
  }
}

TEST(MetricSet, DivisionByZeroIsNaNAndARemainderByZeroIsNoValue) {
  MetricSet set = MetricMachine({{.name = "D", .expr = "inst_retired.any / 0"},
                                 {.name = "R", .expr = "5 % inst_retired.any"}})
                      .set();
  ASSERT_TRUE(set.add("D") && set.add("R"));
  const EventCount none{0};
  const auto values = set.evaluate(std::span(&none, 1));
  EXPECT_TRUE(std::isnan(values[0].value) && !values[0].has_value() && !values[0].gives_up);
  EXPECT_TRUE(!values[1].has_value() && values[1].gives_up);
}

// perf-facts 6.3: '?' is 0 to the number of chips less one.
TEST(MetricSet, AMetricOfEachChipIsThereOnceForEach) {
  const MetricMachine on({{.name = "M", .expr = "cpu@event\\=?@", .aggregation = 1}});
  const TempDir root({{"devices/hv_24x7/interface/sockets", "0x2\n"}});
  MetricSet set(on.machine(), MetricFacts::live(on.machine(), {root.path(), root.path()}));
  ASSERT_TRUE(set.add("M"));
  ASSERT_EQ(set.metrics().size(), 2u);
  EXPECT_EQ(set.metrics()[1].name, "M_1");
  EXPECT_EQ(event_texts(set), (Strings{"cpu/event=0/", "cpu/event=1/"}));
}

TEST(MetricSet, AnExpressionOfOnesOwnMayNameMetrics) {
  MetricSet set = MetricMachine(kTestSoc).set();
  ASSERT_TRUE(set.add_expression("twice", "2 * IPC"));
  EXPECT_DOUBLE_EQ(
      set.evaluate(counts_of(set, {{"inst_retired.any", 3}, {"cpu_clk_unhalted.thread", 2}}))[0]
          .value,
      3);
  EXPECT_EQ(set.metrics()[0].name, "twice");
  EXPECT_EQ(set.metrics()[0].expr, "2 * IPC");
  EXPECT_EQ(set.metrics()[0].simplified, "2 * IPC");
  ASSERT_TRUE(set.add_expression("three", "(1 + 2)"));
  EXPECT_EQ(set.metrics()[1].expr, "(1 + 2)");
  EXPECT_EQ(set.metrics()[1].simplified, "3");
  const auto bad = set.add_expression("bad", "1 +");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().where, "metric expression, column 4");
}

TEST(MetricSet, EventsAreGroupedAsTheConstraintAllowsAndToolsNeedNoCounter) {
  MetricSet set = MetricMachine({{.name = "M",
                                  .expr = "(inst_retired.any + cpu_clk_unhalted.thread + "
                                          "no_such_event + page\\-faults) / duration_time"}})
                      .set();
  ASSERT_TRUE(set.add("M"));
  const auto groups = [&](GroupConstraint constraint) {
    std::string out;
    const auto made = set.schedule(set.events_of(0), {.constraint = constraint});
    for (const MetricSchedule::Group& group : made.value().groups) {
      out += group.together ? "together" : "alone";
      for (const std::size_t index : group.events) out += " " + set.events()[index].text;
      out += "; ";
    }
    return out;
  };
  EXPECT_EQ(groups(GroupConstraint::none),
            "together inst_retired.any cpu_clk_unhalted.thread; together page-faults; ");
  EXPECT_EQ(groups(GroupConstraint::no_group_events),
            "alone inst_retired.any; alone cpu_clk_unhalted.thread; alone page-faults; ");
}

TEST(ListMetrics, TakesAGlobAndAGroupInAnyCase) {
  const MetricMachine on({{.name = "b_two", .expr = "2 * 1", .group = "G1;G2", .desc = "Two."},
                          {.name = "A_one", .expr = "1", .group = "g1"},
                          {.name = "other", .expr = "3"}});
  const auto all = without_common(list_metrics(on.machine()));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].name, "A_one");
  const auto some = list_metrics(on.machine(), "B_*", "g2");
  ASSERT_EQ(some.size(), 1u);
  EXPECT_EQ(some[0].simplified, "2");
  EXPECT_EQ(some[0].desc, "Two.");
  EXPECT_EQ(some[0].groups, (Strings{"G1", "G2"}));
  EXPECT_EQ(some[0].pmu, "default_core");
  EXPECT_EQ(some[0].model, "skylakex");
  EXPECT_TRUE(list_metrics(on.machine(), "*", "G3").empty());
}

TEST(ListMetrics, GroupsHaveTheirDescriptionsAndSizes) {
  const MetricMachine on(
      {{.name = "b", .expr = "2", .group = "G1;G2"}, {.name = "a", .expr = "1", .group = "G1"}});
  auto groups = list_metric_groups(on.machine());
  std::erase_if(groups,
                [](const MetricInfo::Group& one) { return one.name.starts_with("Default"); });
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].name, "G1");
  EXPECT_EQ(groups[0].desc, "the first group");
  EXPECT_EQ(groups[0].metrics, 2u);
  EXPECT_EQ(groups[1].desc, "");
}

}  // namespace
}  // namespace evname::test
