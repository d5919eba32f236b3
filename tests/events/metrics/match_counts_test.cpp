// Which event of a metric a count of perf is of.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <set>

#include "metric_machine.hpp"

namespace evname::test {
namespace {

/// The count that matches the event of a metric.
EventCount count_in(std::string_view text, const std::string& expr) {
  static const MetricMachine on{};
  MetricSet set = on.set();
  EXPECT_TRUE(set.add_expression("m", expr)) << expr;
  const auto counts = read_counts_text(text);
  EXPECT_TRUE(counts) << text;
  return match_counts(on.machine(), set.events(), counts->groups.at(0)).at(0);
}

TEST(MatchCounts, AnEventIsFoundByItsNameOrWhatItEncodes) {
  struct Case {
    const char* line;
    const char* event;
  };
  const Case cases[] = {
      {"7,,INST_RETIRED.ANY,9,100.00,,", "inst_retired.any"},
      {"7,,inst_retired.any:u,9,100.00,,", "INST_RETIRED.ANY"},
      {"7,,inst_retired.any:u,9,100.00,,", "inst_retired.any:u"},
      {"7,,cpu/inst_retired.any/,9,100.00,,", "INST_RETIRED.ANY"},
      {"7,,cpu/event=0xc0/,9,100.00,,", "INST_RETIRED.ANY"},
      {"7,,r3c,9,100.00,,", "cpu_clk_unhalted.thread"},
      {"7,,cpu/event=0x3c,cmask=1/,9,100.00,,", "cpu@event\\=0x3c\\,cmask\\=1@"},
  };
  for (const auto& [line, event] : cases) EXPECT_EQ(count_in(line, event).value, 7) << line;
  EXPECT_TRUE(std::isnan(count_in("7,,branches,9,100.00,,", "inst_retired.any").value));
  EXPECT_TRUE(std::isnan(count_in("7,,inst_retired.any:k,9,100.00,,", "inst_retired.any:u").value));
}

/// The count that matches the event of a metric, on a CPU of the tables.
EventCount count_on(const char* cpu, std::string_view text, std::string_view expr) {
  const auto machine = Machine::named(cpu);
  EXPECT_TRUE(machine) << cpu;
  MetricSet set(*machine, MetricFacts(*machine));
  EXPECT_TRUE(set.add_expression("m", expr)) << expr;
  const auto counts = read_counts_text(text);
  EXPECT_TRUE(counts) << text;
  return match_counts(*machine, set.events(), counts->groups.at(0)).at(0);
}

// Codes: arch/x86/events/{intel,amd}/core.c, drivers/perf/arm_pmuv3.c, arch/powerpc/perf of Linux.
TEST(MatchCounts, AGenericEventIsTheMachinesOwnOfTheSameCode) {
  struct Case {
    const char *cpu, *generic, *own;
  };
  const Case cases[] = {
      {"skylakex", "cycles", "CPU_CLK_UNHALTED.THREAD"},
      {"skylakex", "cpu-cycles:u", "CPU_CLK_UNHALTED.THREAD"},
      {"skylakex", "cpu/instructions/", "INST_RETIRED.ANY"},
      {"skylakex", "branches", "BR_INST_RETIRED.ALL_BRANCHES"},
      {"skylakex", "branch-misses", "BR_MISP_RETIRED.ALL_BRANCHES"},
      {"skylakex", "cache-misses", "LONGEST_LAT_CACHE.MISS"},
      {"skylakex", "ref-cycles", "CPU_CLK_UNHALTED.REF_TSC"},
      {"alderlake", "cpu_core/cycles/", "cpu_core@CPU_CLK_UNHALTED.THREAD@"},
      {"alderlake", "cpu_atom/instructions/u", "cpu_atom@INST_RETIRED.ANY@"},
      {"amdzen4", "cycles", "ls_not_halted_cyc"},
      {"amdzen1", "instructions", "ex_ret_instr"},
      {"amdzen4", "branches", "ex_ret_brn"},
      {"neoverse-n1", "cycles", "cpu_cycles"},
      {"neoverse-n1", "instructions", "inst_retired"},
      {"neoverse-n1", "stalled-cycles-backend", "stall_backend"},
      {"power9", "cycles", "pm_cyc"},
  };
  for (const auto& [cpu, generic, own] : cases)
    EXPECT_EQ(count_on(cpu, fmt::format("7,,{},9,100.00,,", generic), own).value, 7)
        << cpu << " " << generic << " " << own;
}

TEST(MatchCounts, AnEventOfOtherCodeOrPmuIsAnother) {
  struct Case {
    const char *cpu, *counted, *own;
  };
  const Case cases[] = {
      {"skylakex", "instructions", "CPU_CLK_UNHALTED.THREAD"},
      {"skylakex", "L1-dcache-loads", "CPU_CLK_UNHALTED.THREAD"},
      {"alderlake", "cpu_atom/cycles/", "cpu_core@CPU_CLK_UNHALTED.THREAD@"},
      {"alderlake", "cpu_atom/LLC-loads/", "cpu_atom@LLC\\-stores@"},
  };
  for (const auto& [cpu, counted, own] : cases)
    EXPECT_TRUE(std::isnan(count_on(cpu, fmt::format("7,,{},9,100.00,,", counted), own).value))
        << cpu << " " << counted << " " << own;
}

TEST(MatchCounts, AnEventOfSeveralCorePmusIsTheSumOverAllOfThem) {
  const std::string core = "3,,cpu_core/cycles/,9,100.00,,\n",
                    atom = "4,,cpu_atom/cycles/,9,1.0,,\n";
  EXPECT_EQ(count_on("alderlake", core + atom, "cycles").value, 7);
  EXPECT_EQ(count_on("alderlake", core + atom, "cycles").sources, 2u);
  EXPECT_TRUE(std::isnan(count_on("alderlake", core, "cycles").value));
}

// The kernel's part of an event may stand beside a row that has it already.
TEST(MatchCounts, ARowWhosePartsAreCountedAlreadyIsLeftOut) {
  const std::string core = "3,,cpu_core/cycles/,9,100.00,,\n",
                    atom = "4,,cpu_atom/cycles/,9,1.0,,\n", both = "9,,cpu-cycles,9,100.00,,\n";
  EXPECT_EQ(count_on("alderlake", core + atom + both, "cycles").value, 7);
  EXPECT_EQ(count_on("alderlake", both + core + atom, "cycles").value, 9);
  EXPECT_TRUE(std::isnan(count_on("alderlake", core + both, "cycles").value));
}

TEST(MatchCounts, CountsAreTakenOutOfTheUnitThatPerfShows) {
  // 64 bytes each; clocks in ns; duration_time is in seconds in metrics.
  EXPECT_EQ(count_in("640,Bytes,llc_misses.mem_read,9,100.00,,", "LLC_MISSES.MEM_READ").value, 10);
  EXPECT_EQ(count_in("2.50,msec,task-clock,9,100.00,,", "task\\-clock").value, 2.5e6);
  EXPECT_EQ(count_in("200000000,ns,duration_time,9,100.00,,", "duration_time").value, 0.2);
}

// Linux 7.3, tools/perf/util/tool_pmu.c: 1 to 3 are times, and the others numbers. perf prints
// "<not counted>" for a time of 0.
TEST(MatchCounts, OfTheEventsThatPerfCountsItselfTheTimesAloneAreInSeconds) {
  struct Case {
    const char *line, *event;
    double value;
  };
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const Case cases[] = {
      {"200000000,ns,duration_time,9,100.00,,", "tool@duration_time@", 0.2},
      {"200000000,ns,tool/duration_time/,9,100.00,,", "duration_time", 0.2},
      {"200000000,ns,user_time,9,100.00,,", "user_time", 0.2},
      {"200000000,ns,system_time,9,100.00,,", "tool@config\\=3@", 0.2},
      {"8,,num_cpus_online,9,100.00,,", "num_cpus_online", 8},
      {"8,,num_cpus_online,9,100.00,,", "tool@num_cpus_online@", 8},
      {"4,,num_cores,9,100.00,,", "num_cores", 4},
      {"<not counted>,ns,user_time,0,100.00,,", "user_time", 0},
      {"<not counted>,,num_cores,0,100.00,,", "num_cores", kNone},
  };
  for (const auto& [line, event, value] : cases) {
    const double counted = count_in(line, event).value;
    EXPECT_TRUE(std::isnan(value) ? std::isnan(counted) : counted == value) << line << event;
  }
}

TEST(MatchCounts, GroupsAreMatchedOneByOneWhateverTheyList) {
  static const MetricMachine on{};
  MetricSet set = on.set();
  ASSERT_TRUE(set.add_expression("m", "inst_retired.any / cpu_clk_unhalted.thread"));
  const auto counts = read_counts_text(
      "1.0,3,,inst_retired.any,9,100.00,,\n1.0,4,,r3c,9,50.00,,\n"
      "2.0,5,,inst_retired.any,9,100.00,,\n2.0,6,,r3c,9,25.00,,\n"
      "3.0,7,,r3c,9,100.00,,\n3.0,8,,inst_retired.any,9,100.00,,\n"
      "4.0,<not counted>,,r3c,0,0.00,,\n4.0,9,,inst_retired.any,9,100.00,,\n"
      "5.0,9,,inst_retired.any,9,100.00,,\n");
  CountMatcher matcher(on.machine(), set.events());
  std::vector<double> values, running;
  for (const CountGroup& group : counts->groups)
    for (const EventCount& count : matcher.match(group)) {
      values.push_back(std::isnan(count.value) ? -1 : count.value);
      running.push_back(count.running);
    }
  EXPECT_EQ(values, (std::vector<double>{3, 4, 5, 6, 8, 7, 9, -1, 9, -1}));
  EXPECT_EQ(running, (std::vector<double>{1, 0.5, 1, 0.25, 1, 1, 1, 1, 1, 1}));
}

// Alder Lake's two core PMUs have events of the same name, and perf lists PMUs in any order.
TEST(MatchCounts, PmusMayComeInAnotherOrderInTheNextGroup) {
  const auto machine = Machine::named("alderlake");
  ASSERT_TRUE(machine);
  MetricSet set(*machine, MetricFacts(*machine));
  ASSERT_TRUE(set.add_expression("m", "cpu_core@inst_retired.any@"));
  CountMatcher matcher(*machine, set.events());
  const auto group = [](const char* first, const char* second) {
    CountGroup out;
    for (const char* pmu : {first, second}) {
      CountedEvent one;
      one.event = "inst_retired.any";
      one.pmu = pmu;
      one.value = one.pmu == "cpu_core" ? 7 : 100;
      out.counts.push_back(std::move(one));
    }
    return out;
  };
  EXPECT_EQ(matcher.match(group("cpu_core", "cpu_atom")).front().value, 7);
  EXPECT_EQ(matcher.match(group("cpu_atom", "cpu_core")).front().value, 7);
}

TEST(MatchCounts, CountsOfSeveralPmusAreSummedUp) {
  const EventCount sum = count_in(
      "1,,unc_c_clockticks [uncore_cbox_0],9,100.00,,\n2,,unc_c_clockticks [uncore_cbox_1],9,100,,",
      "UNC_C_CLOCKTICKS");
  EXPECT_EQ(sum.value, 3);
  EXPECT_EQ(sum.sources, 2u);
}

TEST(MatchCounts, AnEventOfSeveralGroupsCountsOnce) {
  EXPECT_EQ(count_in("5,,r3c,9,50.00,,\n6,,r3c,9,50.00,,", "r3c").value, 5);
  EXPECT_EQ(count_in("<not counted>,,r3c,0,0.00,,\n6,,r3c,9,50.00,,", "r3c").value, 6);
}

TEST(MatchCounts, WhatWasNotCountedIsNaNButToolsThatMeasuredNothing) {
  EXPECT_TRUE(std::isnan(count_in("<not counted>,,r3c,0,100.00,,", "r3c").value));
  EXPECT_TRUE(std::isnan(count_in("<not supported>,,r3c,0,100.00,,", "r3c").value));
  EXPECT_EQ(count_in("<not counted>,ns,system_time,0,100.00,,", "system_time").value, 0);
  EXPECT_EQ(count_in("0.25,7,,r3c,9,100.00,,", "duration_time").value, 0.25);
  EXPECT_EQ(count_in("0.25,125000000,ns,duration_time,9,100.00,,", "duration_time").value, 0.125);
}

/// The whole of what identifies a count: rows that differ in one part of it. perf scales counts by
/// the alias's scale: 64 bytes are 6.1e-5 MiB (arch/x86/events/intel/uncore_snbep.c), RAPL counts
/// 2^-32 J (rapl.c), and perf before Linux 5.18 called 6.4e-5 MB "MiB" on Knights Landing.
struct IdentityCase {
  const char *cpu, *rows, *event;
  double value;  ///< NaN: there is no count
};
constexpr double kNoCount = std::numeric_limits<double>::quiet_NaN();

class CountIdentity : public testing::TestWithParam<IdentityCase> {};

TEST_P(CountIdentity, DecidesWhichRowsAreTheEvents) {
  const auto& [cpu, rows, event, value] = GetParam();
  const double got = count_on(cpu, rows, event).value;
  if (std::isnan(value))
    EXPECT_TRUE(std::isnan(got)) << got;
  else
    EXPECT_NEAR(got, value, value * 1e-9);
}

constexpr IdentityCase kUnits[] = {
    {"skylakex", "61.03515625,MiB,uncore_imc/cas_count_read/,9,100.00,,", "UNC_M_CAS_COUNT.RD",
     1e6},
    {"skylakex", "61.03515625;MiB;uncore_imc/cas_count_read/;9;100.00;;", "UNC_M_CAS_COUNT.RD",
     1e6},
    {"skylakex", "             61.04 MiB  uncore_imc/cas_count_read/  \n", "UNC_M_CAS_COUNT.RD",
     61.04 / 6.103515625e-5},
    {"skylakex",
     R"({"counter-value" : "61.03515625", "unit" : "MiB", "event" : "uncore_imc/cas_count_read/", "pcnt-running" : 100.00})",
     "UNC_M_CAS_COUNT.RD", 1e6},
    {"skylakex", "1000000,,uncore_imc/cas_count_read/,9,100.00,,", "UNC_M_CAS_COUNT.RD", 1e6},
    {"skylakex", "64,Bytes,llc_misses.mem_read,9,100.00,,", "UNC_M_CAS_COUNT.RD", 1},
    {"skylakex", "5,MB,uncore_imc/cas_count_read/,9,100.00,,", "UNC_M_CAS_COUNT.RD", kNoCount},
    {"skylakex", "5,MiB,llc_misses.mem_read,9,100.00,,", "LLC_MISSES.MEM_READ", kNoCount},
    {"skylakex", "5,msec,inst_retired.any,9,100.00,,", "INST_RETIRED.ANY", kNoCount},
    {"skylakex", "0.5,Joules,power/energy-pkg/,9,100.00,,", "power@energy\\-pkg@", 2147483648.0},
    {"skylakex", "2.5,msec,cpu-clock,9,100.00,,", "cpu\\-clock", 2.5e6},
    {"knightslanding", "64,MiB,unc_m_cas_count.rd,9,100.00,,", "UNC_M_CAS_COUNT.RD", 1e6},
    {"knightslanding", "64,MiB,unc_e_rpq_inserts,9,100.00,,", "UNC_E_RPQ_INSERTS", 1e6},
    {"knightslanding", "64,MiB,unc_m_cas_count.all,9,100.00,,", "UNC_M_CAS_COUNT.ALL", kNoCount},
    {"skylakex", "0.2,s,duration_time,9,100.00,,", "duration_time", 0.2},
    {"skylakex", "200,msec,duration_time,9,100.00,,", "duration_time", 0.2},
    {"skylakex", "200,furlongs,duration_time,9,100.00,,", "duration_time", kNoCount},
};
INSTANTIATE_TEST_SUITE_P(Unit, CountIdentity, testing::ValuesIn(kUnits));

constexpr IdentityCase kBoxes[] = {
    {"skylakex",
     "3,,uncore_imc_0/unc_m_cas_count.rd/,9,100,,\n4,,uncore_imc_1/unc_m_cas_count.rd/,9,100,,",
     "UNC_M_CAS_COUNT.RD", 7},
    {"skylakex",
     "3,,unc_m_cas_count.rd [uncore_imc_0],9,100,,\n4,,unc_m_cas_count.rd [uncore_imc_1],9,100,,",
     "UNC_M_CAS_COUNT.RD", 7},
    {"skylakex",
     "3,,uncore_imc_0/event=4,umask=3/,9,100,,\n4,,uncore_imc_1/cas_count_read/,9,100,,",
     "UNC_M_CAS_COUNT.RD", 7},
    {"skylakex",
     "3,,uncore_imc_0/unc_m_cas_count.rd/,9,100,,\n4,,imc_0/unc_m_cas_count.rd/,9,100,,",
     "UNC_M_CAS_COUNT.RD", 3},  // the same box again
    {"skylakex",
     "3,,uncore_imc_0/unc_m_cas_count.rd/,9,100,,\n9,,uncore_imc/unc_m_cas_count.rd/,9,100,,",
     "UNC_M_CAS_COUNT.RD", 9},  // all boxes
    {"skylakex",
     "3,,uncore_imc_0/unc_m_cas_count.rd/,9,100,,\n4,,uncore_imc_1/unc_m_cas_count.rd/,9,100,,",
     "uncore_imc_1@unc_m_cas_count.rd@", 4},
    {"skylakex", "9,,uncore_imc/unc_m_cas_count.rd/,9,100,,", "uncore_imc_1@unc_m_cas_count.rd@",
     kNoCount},
    {"skylakex",
     "1,MiB,uncore_imc_0/cas_count_read/,9,100,,\n3,MiB,uncore_imc_1/cas_count_read/,9,100,,",
     "UNC_M_CAS_COUNT.RD", 65536},
    {"amdzen4", "3,,amd_umc_0/umc_cas_cmd.rd/,9,100,,\n4,,amd_umc_11/umc_cas_cmd.rd/,9,100,,",
     "umc_cas_cmd.rd", 7},
    {"amdzen4", "3,,amd_l3/l3_lookup_state.all_coherent_accesses_to_l3/,9,100,,",
     "l3_lookup_state.all_coherent_accesses_to_l3", 3},
    {"arm/neoverse-v3",
     "3,,arm_cmn_0/hns_cache_miss_all/,9,100,,\n4,,arm_cmn_1/hns_cache_miss_all/,9,100,,",
     "hns_cache_miss_all", 7},
    {"s390/cf_z16", "3,,cpum_cf/instructions/,9,100,,", "INSTRUCTIONS", 3},
};
INSTANTIATE_TEST_SUITE_P(Box, CountIdentity, testing::ValuesIn(kBoxes));

// Names are those that perf before and since 7 gives the events of hybrid CPUs.
constexpr IdentityCase kPmuCases[] = {
    {"alderlake", "3,,cpu_core/cycles:u/,9,100,,\n4,,cpu_atom/cycles:u/,9,100,,",
     "cpu_core@cycles@", 3},
    {"alderlake", "3,,cpu_core/cycles:u/,9,100,,\n4,,cpu_atom/cycles:u/,9,100,,",
     "cpu_atom@CPU_CLK_UNHALTED.CORE@", 4},
    {"alderlake", "3,,cpu_core/inst_retired.any:ku/,9,100,,", "cpu_core@INST_RETIRED.ANY@", 3},
    {"alderlake", "3,,cycles [cpu_core],9,100,,\n4,,cycles [cpu_atom],9,100,,", "cpu_atom@cycles@",
     4},
    {"alderlake", "3,,cycles [cpu_core],9,100,,\n4,,cycles [cpu_atom],9,100,,", "cycles", 7},
    {"alderlake", "3,,cpu_core/event=0x3c,name=a:u/,9,100,,", "cpu_core@cycles@", 3},
    {"alderlake", "3,,cpu_atom/inst_retired.any/,9,100,,", "cpu_core@INST_RETIRED.ANY@", kNoCount},
};
INSTANTIATE_TEST_SUITE_P(Pmu, CountIdentity, testing::ValuesIn(kPmuCases));

TEST(MatchCounts, AScaledCountOfAnyEventIsTakenOutOfItsUnit) {
  std::size_t events = 0;
  for (const ModelInfo& model : models()) {
    const auto machine = Machine::named(model.name);
    if (!machine) continue;
    std::set<std::string> seen;
    for (const EventInfo& event : machine->events()) {
      const std::string text = fmt::format("{}/{}/", event.pmu, event.name);
      if (event.unit.empty() || !seen.insert(text).second) continue;
      const auto encodings = machine->resolve(text);
      if (!encodings) continue;
      MetricEvent wanted;
      wanted.text = text;
      wanted.encodings = *encodings;
      CountGroup group;
      group.counts.push_back({{.value = 1000 * event.scale}, text, {}, event.unit});
      const auto counts = match_counts(*machine, {&wanted, 1}, group);
      EXPECT_NEAR(counts.at(0).value, 1000, 1e-9) << model.name << " " << text;
      group.counts[0].unit = "furlongs";
      EXPECT_TRUE(std::isnan(match_counts(*machine, {&wanted, 1}, group).at(0).value))
          << event.name;
      ++events;
    }
  }
  EXPECT_GT(events, 100u);
}

TEST(MatchCounts, ARowInAnotherUnitIsSaidToBeLeftOut) {
  const auto machine = Machine::named("skylakex");
  ASSERT_TRUE(machine);
  MetricSet set(*machine, MetricFacts(*machine));
  ASSERT_TRUE(set.add_expression("m", "UNC_M_CAS_COUNT.RD"));
  CountMatcher matcher(*machine, set.events());
  CountGroup group;
  group.counts = {{{.value = 6.103515625e-5}, "uncore_imc/cas_count_read/", {}, "MiB"}};
  EXPECT_DOUBLE_EQ(matcher.match(group)[0].value, 1);
  EXPECT_TRUE(matcher.warnings().empty());
  group.counts[0].unit = "GB";  // the same rows, but for the unit
  EXPECT_TRUE(std::isnan(matcher.match(group)[0].value));
  EXPECT_TRUE(std::isnan(matcher.match(group)[0].value));
  ASSERT_EQ(matcher.warnings().size(), 1u);
  EXPECT_EQ(matcher.warnings()[0],
            "uncore_imc/cas_count_read/ is counted in 'GB', which is no unit of that event: its "
            "count is left out");
}

}  // namespace
}  // namespace evname::test
