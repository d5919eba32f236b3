// Events that the kernel's drivers put into sysfs, of CPUs that are only named. The codes are those
// that perf 7.3 makes of the files of events/ and format/ in Linux 7.3's drivers.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "evname/machine.hpp"

namespace evname {
namespace {

/// Returns "PMU:type:config:config1" of each encoding, "-" for an unknown type.
std::string codes_of(const char* cpu, const char* event) {
  const auto machine = Machine::named(cpu, {}, {}, UserEvents::leave_out);
  if (!machine) return machine.error().text();
  const auto encodings = machine->resolve(event);
  if (!encodings) return "error: " + encodings.error().text();
  std::string out;
  for (const Encoding& e : *encodings)
    out += fmt::format("{}{}:{}:{:#x}:{:#x}", out.empty() ? "" : " ", e.pmu,
                       e.code.has_type ? std::to_string(e.code.type) : "-", e.code.config[0],
                       e.code.config[1]);
  return out;
}

TEST(DriverEvents, ResolveOnTheCpusThatHaveThem) {
  const struct {
    const char *cpu, *event, *codes;
  } cases[] = {
      // arch/x86/events/intel/core.c
      {"nehalemep", "mem-loads", "cpu:4:0x100b:0x3"},
      {"sandybridge", "mem-stores", "cpu:4:0x2cd:0x0"},
      {"skylakex", "mem-loads", "cpu:4:0x1cd:0x3"},
      {"skylakex", "mem-stores", "cpu:4:0x82d0:0x0"},
      // As in perf, the user's value is added to the bits of the file's.
      {"skylakex", "cpu/mem-loads,ldlat=30/P", "cpu:4:0x1cd:0x1f"},
      {"skylakex", "tx-start", "cpu:4:0x1c9:0x0"},
      {"skylakex", "cycles-t", "cpu:4:0x10000003c:0x0"},
      {"skylakex", "topdown-slots-issued", "cpu:4:0x10e:0x0"},
      {"icelakex", "slots", "cpu:4:0x400:0x0"},
      {"icelakex", "topdown-retiring", "cpu:4:0x8000:0x0"},
      {"sapphirerapids", "mem-loads-aux", "cpu:4:0x8203:0x0"},
      {"sapphirerapids", "mem-stores", "cpu:4:0x2cd:0x0"},
      {"sierraforest", "mem-loads", "cpu:4:0x5d0:0x3"},
      {"sierraforest", "topdown-retiring", "cpu:4:0x72:0x0"},
      {"alderlake", "mem-loads", "cpu_atom:-:0x5d0:0x3 cpu_core:4:0x1cd:0x3"},
      {"alderlake", "cpu_core/slots/", "cpu_core:4:0x400:0x0"},
      {"alderlake", "topdown-retiring", "cpu_atom:-:0xc2:0x0 cpu_core:4:0x8000:0x0"},
      {"lunarlake", "cpu_atom/topdown-be-bound/", "cpu_atom:-:0x2a4:0x0"},
      {"diamondrapids", "slots", "cpu:4:0x400:0x0"},
      // arch/x86/events: rapl.c, msr.c, intel/cstate.c, intel/pt.c, amd/ibs.c, amd/uncore.c,
      // amd/iommu.c
      {"skylakex", "power/energy-pkg/", "power:-:0x2:0x0"},
      {"skylakex", "energy-ram", "power:-:0x3:0x0"},
      {"zen4", "power/energy-pkg/", "power:-:0x2:0x0"},
      {"zen4", "power_core/energy-core/", "power_core:-:0x1:0x0"},
      {"skylakex", "msr/tsc/", "msr:-:0x0:0x0"},
      {"skylakex", "msr/smi/", "msr:-:0x4:0x0"},
      {"zen4", "msr/irperf/", "msr:-:0x6:0x0"},
      {"skylakex", "cstate_core/c6-residency/", "cstate_core:-:0x2:0x0"},
      {"alderlake", "cstate_pkg/c10-residency/", "cstate_pkg:-:0x6:0x0"},
      {"sierraforest", "cstate_module/c6-residency/", "cstate_module:-:0x0:0x0"},
      {"skylakex", "intel_pt/noretcomp=1/",
       "intel_pt:-:0x2c01:0x0"},  // with perf's tsc, pt and branch
      {"zen4", "ibs_op/cnt_ctl=1/", "ibs_op:-:0x80000:0x0"},
      {"zen4", "ibs_fetch/rand_en=1/", "ibs_fetch:-:0x200000000000000:0x0"},
      {"zen4", "amd_df/event=0x1f,umask=0xfe/", "amd_df:-:0xfe1f:0x0"},
      {"zen4", "amd_iommu_0/cmd_processed/", "amd_iommu:-:0x11:0x0"},
      // arch/x86/events/intel: uncore_snbep.c, uncore_snb.c, uncore_nhmex.c
      {"jaketown", "uncore_imc/cas_count_read/", "uncore_imc:-:0x304:0x0"},
      {"skylakex", "uncore_imc/cas_count_write/", "uncore_imc:-:0xc04:0x0"},
      {"icelakex", "uncore_imc/cas_count_read/", "uncore_imc:-:0xf04:0x0"},
      {"icelakex", "uncore_imc_3/cas_count_read/", "uncore_imc:-:0xf04:0x0"},
      {"sapphirerapids", "cas_count_read", "uncore_imc:-:0xcf05:0x0"},
      {"graniterapids", "uncore_imc/cas_count_read_sch1/", "uncore_imc:-:0xcf06:0x0"},
      {"haswell", "uncore_imc/data_reads/", "uncore_imc:-:0x1:0x0"},
      {"skylake", "uncore_cbox_0/clockticks/", "uncore_cbox:-:0xff:0x0"},
      {"skylakex", "uncore_iio_free_running_0/bw_in_port0/",
       "uncore_iio_free_running:-:0x20ff:0x0"},
      {"tigerlake", "uncore_imc_free_running_1/data_write/",
       "uncore_imc_free_running_1:-:0x30ff:0x0"},
      {"lunarlake", "uncore_imc_free_running_0/data_read/", "uncore_imc_free_running:-:0x20ff:0x0"},
      {"pantherlake", "uncore_imc_free_running_1/data_total/",
       "uncore_imc_free_running:-:0x10ff:0x0"},
      {"novalake", "data_read", "uncore_imc_free_running:-:0x20ff:0x0"},
      {"pantherlake", "uncore_cncu_1/clockticks/", "uncore_cncu:-:0xff:0x0"},
      {"diamondrapids", "uncore_iio_free_running_3/bw_out_port7/",
       "uncore_iio_free_running:-:0x37ff:0x0"},
      // drivers/perf: arm_spe_pmu.c, arm-cmn.c, arm_dsu_pmu.c, arm_smmuv3_pmu.c
      {"n1", "arm_spe_0/load_filter=1/", "arm_spe:-:0x200000000:0x0"},
      {"n1", "arm_cmn_0/hnf_cache_miss/", "arm_cmn:-:0x10005:0x0"},
      {"n1", "arm_cmn/type=5,eventid=1/", "arm_cmn:-:0x10005:0x0"},
      {"n1", "arm_dsu_0/l3d_cache_refill/", "arm_dsu:-:0x2a:0x0"},
      {"n1", "smmuv3_pmcg_ff80/tlb_miss/", "smmuv3_pmcg:-:0x2:0x0"},
      // arch/powerpc/perf/power10-events-list.h
      {"power10", "mem-loads", "cpu:4:0x35340401e0:0x0"},
      {"cf_z16", "cpum_sf/SF_CYCLES_BASIC/", "cpum_sf:4:0xb0000:0x0"},
      {"cf_z13", "SF_CYCLES_BASIC_DIAG", "cpum_sf:4:0xbd000:0x0"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(codes_of(c.cpu, c.event), c.codes) << c.cpu << " " << c.event;
}

TEST(DriverEvents, AreNotOnCpusWithoutTheDriver) {
  const struct {
    const char *cpu, *event;
  } cases[] = {{"zen4", "mem-loads"},
               {"zen4", "intel_pt//"},
               {"zen4", "cstate_core/c6-residency/"},
               {"skylakex", "ibs_op//"},
               {"skylakex", "slots"},
               {"skylakex", "power_core/energy-core/"},
               {"skylakex", "msr/irperf/"},
               {"skylakex", "power/energy-gpu/"},
               {"skylakex", "cstate_module/c6-residency/"},
               {"skylakex", "arm_cmn_0/hnf_cache_miss/"},
               {"n1", "energy-pkg"},
               {"n1", "msr/tsc/"},
               {"z16", "mem-loads"}};
  for (const auto& c : cases) EXPECT_TRUE(codes_of(c.cpu, c.event).starts_with("error")) << c.event;
}

TEST(DriverEvents, HaveTheUnitsOfTheirFiles) {
  const auto machine = Machine::named("skylakex", {}, {}, UserEvents::leave_out);
  ASSERT_TRUE(machine);
  const auto energy = machine->resolve("power/energy-pkg/"),
             reads = machine->resolve("cas_count_read");
  ASSERT_TRUE(energy && reads);
  EXPECT_EQ(energy->front().scale, 0x1p-32);
  EXPECT_EQ(energy->front().unit, "Joules");
  EXPECT_EQ(reads->front().scale, 64.0 / (1 << 20));
  EXPECT_EQ(reads->front().unit, "MiB");
}

TEST(DriverEvents, AreFoundByTheirNamesWithDescriptions) {
  const struct {
    const char *cpu, *glob, *desc;
  } cases[] = {
      {"skylakex", "mem-loads", "Loads, sampled with their address and latency"},
      {"alderlake", "topdown-mem-*", "Issue slots left empty while the back end waited"},
      {"skylakex", "ENERGY-p*", "Energy that the package used"},
      {"zen4", "energy-core", "Energy that this core used"},
      {"n1", "hns_cache_miss_lbt", "found nothing on the first try, of lines whose home is"},
      {"power9", "mem-stores", "Stores, sampled with their address"}};
  for (const auto& c : cases) {
    const auto machine = Machine::named(c.cpu, {}, {}, UserEvents::leave_out);
    ASSERT_TRUE(machine);
    const auto events = machine->events(c.glob);
    ASSERT_EQ(events.size(), 1u) << c.glob;
    EXPECT_NE(events[0].desc.find(c.desc), std::string::npos) << events[0].desc;
  }
  for (const EventInfo& event : Machine::named("skylakex", {}, {}, UserEvents::leave_out)->events())
    EXPECT_NE(event.name, "energy-pkg") << "not every machine has it";
}

/// intel_perfmon_event_map of arch/x86/events/intel/core.c: the same codes on each kind of core.
TEST(DriverEvents, GenericOnesAreRawCodesOnHybridCpusWhoseTypesAreNotKnown) {
  for (const char* cpu : {"alderlake", "meteorlake", "lunarlake", "pantherlake"}) {
    EXPECT_EQ(codes_of(cpu, "instructions"), "cpu_atom:-:0xc0:0x0 cpu_core:4:0xc0:0x0") << cpu;
    EXPECT_EQ(codes_of(cpu, "cpu_atom/cycles/"), "cpu_atom:-:0x3c:0x0") << cpu;
    EXPECT_EQ(codes_of(cpu, "cpu_atom/branch-misses,period=1000/"), "cpu_atom:-:0xc5:0x0") << cpu;
  }
}

// What perf has of its own: arch/*/ of util/tool_pmu.c, and the units of perf stat.
TEST(KernelEvents, HaveUnitsAndAreThereOnTheirArchitectures) {
  const struct {
    const char *cpu, *event, *unit;
    double scale;
  } cases[] = {
      {"skylakex", "duration_time", "ns", 1},  {"skylakex", "user_time", "ns", 1},
      {"skylakex", "system_time", "ns", 1},    {"skylakex", "has_pmem", "", 1},
      {"skylakex", "system_tsc_freq", "", 1},  {"skylakex", "slots", nullptr, 0},
      {"neoverse-n1", "slots", "", 1},         {"neoverse-n1", "system_tsc_freq", nullptr, 0},
      {"power9", "slots", nullptr, 0},         {"power9", "system_tsc_freq", nullptr, 0},
      {"skylakex", "cpu-clock", "msec", 1e-6}, {"skylakex", "task-clock", "msec", 1e-6},
      {"skylakex", "page-faults", "", 1},      {"skylakex", "context-switches", "", 1},
  };
  for (const auto& c : cases) {
    const auto machine = Machine::named(c.cpu, {}, {}, UserEvents::leave_out);
    ASSERT_TRUE(machine);
    const auto found = machine->resolve(c.event);
    ASSERT_EQ(found.has_value(), c.unit != nullptr) << c.cpu << ' ' << c.event;
    if (!found) continue;
    EXPECT_EQ(found->front().unit, c.unit) << c.event;
    EXPECT_EQ(found->front().scale, c.scale) << c.event;
  }
}

}  // namespace
}  // namespace evname
