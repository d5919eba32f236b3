// The literals of expressions, from trees like sysfs and procfs.
#include <evname/recording.hpp>

#include "metric_machine.hpp"
#include "support/perf_file.hpp"

namespace evname::test {
namespace {

class Facts : public testing::Test {
 protected:
  void cpu(int number, const std::string& package, const std::string& die,
           const std::string& core) {
    const std::string at = "devices/system/cpu/cpu" + std::to_string(number) + "/topology/";
    root_.write(at + "package_cpus_list", package + "\n");
    root_.write(at + "die_cpus_list", die + "\n");
    root_.write(at + "core_cpus_list", core + "\n");
  }
  MetricFacts facts() const {
    return MetricFacts::live(on_.machine(), {root_.path(), root_.path()});
  }

  MetricMachine on_{{}};
  TempDir root_;
};

TEST_F(Facts, CountWhatIsOnlineAndWhatIsPresent) {
  root_.write("devices/system/cpu/present", "0-7\n");
  root_.write("devices/system/cpu/online", "0-3,5\n");
  root_.write("devices/system/cpu/smt/active", "1\n");
  cpu(0, "0-1", "0-1", "0-1");
  cpu(1, "0-1", "0-1", "0-1");
  cpu(2, "2-3,5", "2-3", "2-3");
  cpu(3, "2-3,5", "2-3", "2-3");
  cpu(5, "2-3,5", "5", "5");
  const MetricFacts known = facts();
  EXPECT_EQ(known.get("#num_cpus"), 8);
  EXPECT_EQ(known.get("#num_cpus_online"), 5);
  EXPECT_EQ(known.get("#num_packages"), 2);
  EXPECT_EQ(known.get("#num_dies"), 3);
  EXPECT_EQ(known.get("#num_cores"), 3);
  EXPECT_EQ(known.get("#SMT_on"), 1);
  EXPECT_EQ(known.get("#has_pmem"), 0);
  EXPECT_EQ(known.get("#core_wide"), 0);
}

TEST_F(Facts, WithoutTheKernelsWordSmtIsOnWhereACoreHasTwoCpus) {
  root_.write("devices/system/cpu/online", "0-1\n");
  cpu(0, "0-1", "0-1", "0");
  cpu(1, "0-1", "0-1", "1");
  EXPECT_EQ(facts().get("smt_on"), 0);
  cpu(0, "0-1", "0-1", "0-1");
  EXPECT_EQ(facts().get("smt_on"), 1);
  root_.write("devices/system/cpu/smt/active", "0\n");
  EXPECT_EQ(facts().get("smt_on"), 0);
}

TEST_F(Facts, PersistentMemoryIsATableOfTheFirmware) {
  root_.write("firmware/acpi/tables/NFIT", "");
  EXPECT_EQ(facts().get("#has_pmem"), 1);
}

TEST_F(Facts, TheClockOfIntelCpusIsInTheirName) {
  struct Case {
    const char* cpuinfo;
    double hertz;
  };
  const Case cases[] = {
      {"vendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz\n",
       2.4e9},
      {"vendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Old @ 800MHz\n", 8e8},
      {"processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) @ 1GHz\n\n"
       "vendor_id\t: GenuineIntel\nmodel name\t: Intel(R) @ 3GHz\n",
       1e9},
      {"vendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC @ 2.40GHz\n", 0},
  };
  for (const auto& [cpuinfo, hertz] : cases) {
    root_.write("cpuinfo", cpuinfo);
    EXPECT_DOUBLE_EQ(facts().get("#system_tsc_freq"), hertz) << cpuinfo;
  }
  root_.write("cpuinfo", "vendor_id : GenuineIntel\nmodel name : Intel(R) Xeon(R) Processor\n");
  EXPECT_TRUE(std::isnan(facts().get("#system_tsc_freq")));
  for (const char* clock : {"2.4THz", "GHz", ""}) {
    root_.write("cpuinfo", std::string("vendor_id : GenuineIntel\nmodel name : Intel @ ") + clock);
    const double hertz = facts().get("#system_tsc_freq");
    EXPECT_TRUE(std::isnan(hertz)) << clock << hertz;
  }
}

// Linux, ABI/stable/sysfs-devices-system-cpu: the older names of the same lists.
TEST_F(Facts, OlderKernelsHaveOtherNamesForTheSameLists) {
  root_.write("devices/system/cpu/online", "0-2\n");
  for (const auto& [cpu, package, core] :
       {std::tuple("0", "0-1", "0"), {"1", "0-1", "1"}, {"2", "2", "2"}}) {
    const std::string at = std::string("devices/system/cpu/cpu") + cpu + "/topology/";
    root_.write(at + "core_siblings_list", std::string(package) + "\n");
    root_.write(at + "thread_siblings_list", std::string(core) + "\n");
  }
  EXPECT_EQ(facts().get("#num_packages"), 2);
  EXPECT_EQ(facts().get("#num_cores"), 3);
  EXPECT_EQ(facts().get("#num_dies"), 0);
  EXPECT_EQ(facts().get("#smt_on"), 0);
  root_.write("devices/system/cpu/smt/active", "0\n");
  EXPECT_EQ(facts().get("#smt_on"), 0);
}

// perf, util/cputopo.c: dies exist on x86 and s390; util/tsc.c: the clock is x86's.
TEST_F(Facts, OtherArchitecturesHaveNoDies) {
  root_.write("devices/system/cpu/online", "0-1\n");
  root_.write("cpuinfo", "vendor_id\t: GenuineIntel\nmodel name\t: Intel @ 2GHz\n");
  cpu(0, "0", "0", "0");
  cpu(1, "1", "1", "1");
  const auto arm = Machine::named("neoverse-n1");
  if (!arm) GTEST_SKIP() << "no tables of neoverse-n1 are built in";
  const MetricFacts known = MetricFacts::live(*arm, {root_.path(), root_.path()});
  EXPECT_EQ(known.get("#num_packages"), 2);
  EXPECT_EQ(known.get("#num_dies"), 0);
  EXPECT_EQ(known.get("#system_tsc_freq"), 0);
  EXPECT_EQ(facts().get("#num_dies"), 2);
}

TEST_F(Facts, WhatIsNotThereIsNotKnown) {
  const MetricFacts known = facts();
  for (const char* name : {"#num_cpus", "#num_cpus_online", "#num_packages", "#num_cores",
                           "#smt_on", "#slots", "#system_tsc_freq", "#nonsense"})
    EXPECT_TRUE(std::isnan(known.get(name))) << name;
}

// num_slots of Arm's telemetry files. Cores that share a directory differ.
TEST_F(Facts, TheSlotsOfANamedCpuAreThoseOfItsCore) {
  const std::pair<const char*, double> cases[] = {
      {"n2", 5},          {"cobalt100", 5},          {"v2", 8},
      {"grace", 8},       {"0x00000000413fd4f1", 8}, {"0x00000000410fd493", 5},
      {"neoverse-v1", 8}, {"neoverse-v3", 10},       {"neoverse-n3", 5}};
  for (const auto& [name, slots] : cases)
    if (const auto machine = Machine::named(name)) {
      EXPECT_EQ(MetricFacts(*machine).get("#slots"), slots) << name;
    }
  if (const auto machine = Machine::named("cortex-a72")) {
    EXPECT_TRUE(std::isnan(MetricFacts(*machine).get("#slots")));
  }
}

// caps/slots of Arm's core PMUs (drivers/perf/arm_pmuv3.c); 0 if the CPU does not tell it.
TEST_F(Facts, TheSlotsOfALiveCpuAreThoseOfItsFirstCorePmuThatStatesThem) {
  const struct {
    std::vector<std::pair<const char*, const char*>> slots;  // by PMU; null: none
    double known;
  } cases[] = {{{{"cpu", "0x5"}}, 5},
               {{{"cpu", "8"}, {"uncore_imc_0", "3"}}, 8},
               {{{"cpu", nullptr}, {"cpu_b", "0xa"}}, 10},
               {{{"cpu", "0"}}, std::numeric_limits<double>::quiet_NaN()}};
  for (const auto& c : cases) {
    std::vector<pmu::Pmu> pmus = {make_pmu("uncore_imc_1", 30, {}, {})};
    pmus.back().set_cap("slots", "77");  // of no core PMU
    for (const auto& [name, slots] : c.slots) {
      pmus.push_back(make_pmu(name, 31, {}, {}));
      pmus.back().is_core = std::string_view(name).starts_with("cpu");
      if (slots != nullptr) pmus.back().set_cap("slots", slots);
    }
    const double got =
        MetricFacts(make_machine(skylakex_tables(), 0, std::move(pmus))).get("#slots");
    EXPECT_TRUE(got == c.known || (std::isnan(got) && std::isnan(c.known))) << got;
  }
}

TEST_F(Facts, CanBeOverruledByName) {
  MetricFacts known = facts();
  EXPECT_TRUE(known.set("slots", 8) && known.set("#num_dies", 4));
  EXPECT_FALSE(known.set("#nonsense", 1));
  EXPECT_EQ(known.get("#slots"), 8);
  EXPECT_EQ(known.get("num_dies"), 4);
}

// Layouts: perf.data-file-format.txt, HEADER_NRCPUS (7), HEADER_CPUDESC (8), HEADER_CPUID (9),
// HEADER_CPU_TOPOLOGY (13), HEADER_ARCH (6).
TEST_F(Facts, ARecordingTellsThoseOfItsMachine) {
  PerfFile file;
  file.event({.type = 1, .config = 1, .ids = {1}});
  file.feature(6, file.out().string("x86_64").str());
  file.feature(7, file.out().u32(16).u32(8).str());
  file.feature(8, file.out().string("Intel(R) Xeon(R) Gold 6154 CPU @ 3.00GHz").str());
  file.feature(9, file.out().string("GenuineIntel,6,85,4").str());
  BytesOut topology = file.out();
  topology.u32(1).string("0-3").u32(2).string("0-1").string("2-3");
  for (int i = 0; i < 16; ++i) topology.u32(0).u32(0);
  topology.u32(1).string("0-3");
  for (int i = 0; i < 16; ++i) topology.u32(0);
  file.feature(13, topology.str());
  const auto recording = Recording::open(root_.write("perf.data", file.file()));
  ASSERT_TRUE(recording);
  const MetricFacts known = recorded_facts(*recording);
  EXPECT_EQ(known.get("#num_cpus"), 16);
  EXPECT_EQ(known.get("#num_cpus_online"), 8);
  EXPECT_EQ(known.get("#num_packages"), 1);
  EXPECT_EQ(known.get("#num_cores"), 2);
  EXPECT_EQ(known.get("#smt_on"), 1);
  EXPECT_DOUBLE_EQ(known.get("#system_tsc_freq"), 3e9);
  EXPECT_TRUE(std::isnan(known.get("#has_pmem")));
}

}  // namespace
}  // namespace evname::test
