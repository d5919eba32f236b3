// The three sources of a Machine, against the tables of this build.
#include <gtest/gtest.h>

#include "events/machine/machine_state.hpp"
#include "events/tables/registry.hpp"
#include "support/temp_dir.hpp"

namespace evname::test {
namespace {

class MachineSources : public testing::Test {
 protected:
  void SetUp() override {
    if (tables::architectures().empty()) GTEST_SKIP() << "no tables are built in";
  }

  TempDir tree_;
};

TEST_F(MachineSources, ANamedMachineIsAModelOrACpuidOfEitherSpelling) {
  const std::tuple<const char*, const char*, MatchedBy> cases[] = {
      {"skylakex", "skylakex", MatchedBy::name},
      {"GenuineIntel-6-55-4", "skylakex", MatchedBy::cpuid},
      {"GenuineIntel,6,85,4", "skylakex", MatchedBy::cpuid},
      {"neoverse-n1", "arm/neoverse-n1", MatchedBy::name},
      {"0x00000000410fd0c0", "arm/neoverse-n1", MatchedBy::cpuid},
  };
  for (const auto& [text, model, matched_by] : cases) {
    const auto machine = Machine::named(text);
    ASSERT_TRUE(machine) << text << ": " << machine.error().text();
    EXPECT_EQ(machine->cpu().model, model) << text;
    EXPECT_EQ(machine->cpu().matched_by, matched_by) << text;
    EXPECT_FALSE(machine->cpu().cpuid.empty()) << text;
    EXPECT_FALSE(machine->pmus().empty()) << text;
  }
}

TEST_F(MachineSources, AnUnknownNameCarriesTheNearestModels) {
  const auto machine = Machine::named("skylakx");
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().code, Errc::not_found);
  EXPECT_NE(machine.error().hint.find("skylakex"), std::string::npos) << machine.error().hint;
}

TEST_F(MachineSources, WithoutATableTheErrorNamesTheCpuid) {
  const auto machine = Machine::named("GenuineIntel-6-FF-1");
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->cpu().matched_by, MatchedBy::none);
  const auto found = machine->resolve("inst_retired.any");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().hint, "no event table fits the CPUID GenuineIntel-6-FF-1");
  EXPECT_TRUE(machine->resolve("cycles,r1a8,cpu/event=0x3c,umask=1/"));
}

TEST_F(MachineSources, ARecordingBringsItsPmuTypes) {
  pmu::RecordedPmus recorded;
  recorded.mappings = {{1, "software"}, {4, "cpu"}, {20, "uncore_imc_0"}, {21, "uncore_imc_1"}};
  const Machine machine = recorded_machine("x86_64", "GenuineIntel,6,85,4", recorded);
  EXPECT_EQ(machine.cpu().arch, "x86");
  EXPECT_EQ(machine.cpu().cpuid, "GenuineIntel-6-55-4");
  EXPECT_EQ(machine.cpu().model, "skylakex");
  // shared/oracle/skylakex.tsv: perf's own encoding of these.
  EXPECT_EQ(machine.names_of(make_code(4, {0x1e6})).names.front(), "baclears.any");
  const auto reads = machine.resolve("unc_m_cas_count.rd");
  ASSERT_TRUE(reads) << reads.error().text();
  ASSERT_EQ(reads->size(), 2u);
  EXPECT_EQ((*reads)[1].code.type, 21u);
}

TEST_F(MachineSources, ALiveMachineWithoutCorePmuSaysSoAndNamesCpuEventsAllTheSame) {
  tree_.write("sys/bus/event_source/devices/software/type", "1\n");
  tree_.write("proc/cpuinfo",
              "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n"
              "model name\t: x\nstepping\t: 4\n\n");
  const auto machine = Machine::live({tree_.path("sys"), tree_.path("proc")});
  ASSERT_TRUE(machine) << machine.error().text();
  ASSERT_FALSE(machine->warnings().empty());
  EXPECT_NE(machine->warnings().back().find("no core PMU"), std::string::npos);
  if (machine->cpu().arch != "x86") GTEST_SKIP() << "the rest is about x86";
  EXPECT_EQ(machine->resolve("inst_retired.any")->front().code.config[0], 0xc0u);
}

/// Events and fields as drivers/perf/apple_m1_cpu_pmu.c makes them. 0x8 is Arm's INST_RETIRED, and
/// 0x8c its EXC_TRAP_DABORT.
TEST_F(MachineSources, ACorePmuOfTheMakersHasNoneOfTheArchitecturesEvents) {
  const std::string devices = "bus/event_source/devices/";
  for (const auto& [pmu, type, cpus] : {std::tuple("apple_avalanche_pmu", "10\n", "4-7\n"),
                                        {"apple_blizzard_pmu", "11\n", "0-3\n"}}) {
    tree_.write(devices + pmu + "/type", type);
    tree_.write(devices + pmu + "/cpus", cpus);
    tree_.write(devices + pmu + "/format/event", "config:0-7\n");
    tree_.write(devices + pmu + "/events/cycles", "event=0x0002\n");
    tree_.write(devices + pmu + "/events/instructions", "event=0x008c\n");
  }
  const auto machine =
      Machine::named("0x00000000610f0320", tree_.path(""), {}, UserEvents::leave_out);
  ASSERT_TRUE(machine) << machine.error().text();
  EXPECT_EQ(machine->cpu().matched_by, MatchedBy::none);
  for (const char* event : {"inst_retired", "cpu_cycles", "exc_trap_dabort"})
    EXPECT_FALSE(machine->resolve(event)) << event;
  const auto found = machine->resolve("instructions");
  ASSERT_TRUE(found && found->size() == 2);
  EXPECT_EQ((*found)[0].code.config[0], 0x8cu);
  for (const std::uint32_t type : {10u, 11u}) {
    EXPECT_EQ(machine->names_of(make_code(type, {0x8c})).names,
              std::vector<std::string>{"instructions"});
    EXPECT_TRUE(machine->names_of(make_code(type, {0x8})).names.empty());
  }
}

TEST_F(MachineSources, TracepointsGetTheNumberOfTheRunningKernel) {
  tree_.write("sys/bus/event_source/devices/software/type", "1\n");
  tree_.write("sys/kernel/tracing/events/sched/sched_switch/id", "314\n");
  tree_.write("proc/cpuinfo",
              "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nstepping\t: 4\n");
  const auto machine = Machine::live({tree_.path("sys"), tree_.path("proc")});
  ASSERT_TRUE(machine) << machine.error().text();
  const auto found = machine->resolve("sched:sched_switch:u");
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->front().code.type, 2u);
  EXPECT_EQ(found->front().code.config[0], 314u);
  EXPECT_EQ(found->front().name, "sched:sched_switch");
  EXPECT_EQ(machine->resolve("sched:nope").error().code, Errc::not_found);
  EXPECT_NE(machine->resolve("sched:nope").error().hint.find("/events/sched/nope/id"),
            std::string::npos);
  EXPECT_EQ(machine->name_of(found->front()), "sched:sched_switch");
}

TEST_F(MachineSources, WithoutTracefsTheErrorSaysSo) {
  tree_.write("sys/bus/event_source/devices/software/type", "1\n");
  tree_.write("proc/cpuinfo",
              "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nstepping\t: 4\n");
  const auto machine = Machine::live({tree_.path("sys"), tree_.path("proc")});
  ASSERT_TRUE(machine) << machine.error().text();
  for (const char* text : {"sched:sched_switch", "sched:*"}) {
    const auto found = machine->resolve(text);
    ASSERT_FALSE(found) << text;
    EXPECT_NE(found.error().hint.find("tracefs is not mounted there, or not for this user"),
              std::string::npos)
        << found.error().hint;
  }
}

TEST_F(MachineSources, ALiveMachineNeedsTrees) {
  const auto machine = Machine::live({"/nonexistent/sys", "/nonexistent/proc"});
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().code, Errc::not_found);
}

// perf writes a description of the CPU as well. It counts only if there is no CPUID.
TEST_F(MachineSources, TheCpuidOfARecordingOutweighsItsDescription) {
  constexpr auto how = UserEvents::leave_out;
  const char* const desc = "Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz";  // Skylake-SP
  EXPECT_EQ(recorded_machine("x86_64", "", {}, {}, how, desc).cpu().model, "skylakex");
  EXPECT_EQ(recorded_machine("x86_64", "GenuineIntel,6,255,1", {}, {}, how, desc).cpu().model, "");
  EXPECT_EQ(recorded_machine("x86_64", "GenuineIntel,6,143,1", {}, {}, how, desc).cpu().model,
            "sapphirerapids");
}

TEST_F(MachineSources, AGlobMeansEachTracepointItMatchesByItsName) {
  tree_.write("sys/bus/event_source/devices/software/type", "1\n");
  tree_.write("sys/kernel/debug/tracing/events/sched/enable", "0\n");
  tree_.write("sys/kernel/debug/tracing/events/sched/sched_wakeup/id", "12\n");
  tree_.write("sys/kernel/debug/tracing/events/sched/sched_switch/id", "314\n");
  tree_.write("sys/kernel/debug/tracing/events/irq/softirq_entry/id", "7\n");
  tree_.write("proc/cpuinfo",
              "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nstepping\t: 4\n");
  const auto machine = Machine::live({tree_.path("sys"), tree_.path("proc")});
  ASSERT_TRUE(machine) << machine.error().text();
  const auto found = machine->resolve("s*:sched_*/max-stack=3/u");
  ASSERT_TRUE(found) << found.error().text();
  ASSERT_EQ(found->size(), 2u);
  EXPECT_EQ((*found)[0].name, "sched:sched_switch/max-stack=3/");
  EXPECT_EQ((*found)[0].code.config[0], 314u);
  EXPECT_EQ((*found)[1].code.config[0], 12u);
  EXPECT_EQ(machine->resolve("irq:*_exit").error().code, Errc::not_found);
}

// Linux lists none of them for HiSilicon's Hip08; the Arm ARM gives every PMUv3 0x11 and 0x8. 0x68
// is only recommended (UNALIGNED_LD_SPEC), so it stays a code on a CPU that does not list it.
TEST_F(MachineSources, EventsOfTheArchitectureAreKnownOnEveryModel) {
  const auto machine = Machine::named("hisilicon/hip08");
  ASSERT_TRUE(machine);
  const auto cycles = machine->resolve("CPU_CYCLES");
  ASSERT_TRUE(cycles);
  EXPECT_EQ(cycles->front().code.config[0], 0x11u);
  EXPECT_EQ(cycles->front().matched_by, MatchedBy::architecture);
  Encoding code;
  code.pmu = cycles->front().pmu;
  code.code.config[0] = 0x8;
  EXPECT_EQ(machine->name_of(code), "inst_retired");
  EXPECT_FALSE(machine->resolve("l3d_cache_rd"));
  // The model's own come once, however many standard events have their names.
  EXPECT_EQ(machine->names_of(cycles->front().pmu, make_code(0, {0x11})).names,
            std::vector<std::string>{"cpu_cycles"});
  const auto n1 = Machine::named("neoverse-n1");
  ASSERT_TRUE(n1);
  const auto core = n1->resolve("cpu_cycles");
  ASSERT_TRUE(core);
  EXPECT_EQ(core->front().matched_by, MatchedBy::name);
  EXPECT_EQ(n1->names_of(core->front().pmu, make_code(0, {0x11})).names,
            std::vector<std::string>{"cpu_cycles"});
}

}  // namespace
}  // namespace evname::test
