// Events that the kernel's drivers put into sysfs, of CPUs that are only named. The codes are those
// that perf 7.3 makes of the files of events/ and format/ in Linux 7.3's drivers.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.hpp"
#include "events/machine/machine_state.hpp"
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
      {"zen4", "amd_iommu_0/cmd_processed/", "amd_iommu_0:-:0x11:0x0"},
      // arch/x86/events/intel: uncore_snbep.c, uncore_snb.c, uncore_nhmex.c
      {"jaketown", "uncore_imc/cas_count_read/", "uncore_imc:-:0x304:0x0"},
      {"skylakex", "uncore_imc/cas_count_write/", "uncore_imc:-:0xc04:0x0"},
      {"icelakex", "uncore_imc/cas_count_read/", "uncore_imc:-:0xf04:0x0"},
      {"icelakex", "uncore_imc_3/cas_count_read/", "uncore_imc_3:-:0xf04:0x0"},
      {"sapphirerapids", "cas_count_read", "uncore_imc:-:0xcf05:0x0"},
      {"graniterapids", "uncore_imc/cas_count_read_sch1/", "uncore_imc:-:0xcf06:0x0"},
      {"haswell", "uncore_imc/data_reads/", "uncore_imc:-:0x1:0x0"},
      {"skylake", "uncore_cbox_0/clockticks/", "uncore_cbox_0:-:0xff:0x0"},
      {"skylakex", "uncore_iio_free_running_0/bw_in_port0/",
       "uncore_iio_free_running_0:-:0x20ff:0x0"},
      {"tigerlake", "uncore_imc_free_running_1/data_write/",
       "uncore_imc_free_running_1:-:0x30ff:0x0"},
      {"lunarlake", "uncore_imc_free_running_0/data_read/",
       "uncore_imc_free_running_0:-:0x20ff:0x0"},
      {"pantherlake", "uncore_imc_free_running_1/data_total/",
       "uncore_imc_free_running_1:-:0x10ff:0x0"},
      {"novalake", "data_read", "uncore_imc_free_running:-:0x20ff:0x0"},
      {"pantherlake", "uncore_cncu_1/clockticks/", "uncore_cncu_1:-:0xff:0x0"},
      {"diamondrapids", "uncore_iio_free_running_3/bw_out_port7/",
       "uncore_iio_free_running_3:-:0x37ff:0x0"},
      // drivers/perf: arm_spe_pmu.c, arm-cmn.c, arm_dsu_pmu.c, arm_smmuv3_pmu.c
      {"n1", "arm_spe_0/load_filter=1/", "arm_spe_0:-:0x200000000:0x0"},
      {"n1", "arm_cmn_0/hnf_cache_miss/", "arm_cmn_0:-:0x10005:0x0"},
      {"n1", "arm_cmn/type=5,eventid=1/", "arm_cmn:-:0x10005:0x0"},
      {"n1", "arm_dsu_0/l3d_cache_refill/", "arm_dsu_0:-:0x2a:0x0"},
      {"n1", "smmuv3_pmcg_ff80/tlb_miss/", "smmuv3_pmcg_ff80:-:0x2:0x0"},
      // arch/powerpc/perf/power10-events-list.h
      {"power10", "mem-loads", "cpu:4:0x35340401e0:0x0"},
      {"cf_z16", "cpum_sf/SF_CYCLES_BASIC/", "cpum_sf:4:0xb0000:0x0"},
      {"cf_z13", "SF_CYCLES_BASIC_DIAG", "cpum_sf:4:0xbd000:0x0"},
      {"cf_z16", "cpum_cf_diag/CF_DIAG/", "cpum_cf_diag:-:0xbc000:0x0"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(codes_of(c.cpu, c.event), c.codes) << c.cpu << " " << c.event;
}

constexpr const char* kGrace = "0x00000000410fd4f0";   // Neoverse V2
constexpr const char* kYitian = "0x00000000410fd490";  // Neoverse N2
constexpr const char* kKunpeng930 = "0x00000000480fd020";
constexpr const char* kFalkor = "0x00000000510fc000";

/// An event of a driver, and the words that the files of events/ and format/ in Linux 7.3's drivers
/// give it.
struct DriverEvent {
  const char *cpu, *pmu, *event;
  std::uint64_t config, config1 = 0;
};
// The PMUs have names as the drivers make them, with the numbers inside.
constexpr DriverEvent kDriverEvents[] = {
    // drivers/perf/arm_cspmu: nvidia_cspmu.c, ampere_cspmu.c; nvidia_t410_*.c
    {kGrace, "nvidia_scf_pmu_0", "cmem_rd_data", 0x1a5},
    {kGrace, "nvidia_scf_pmu_1", "socket_3_wr_data", 0x17f},
    {kGrace, "nvidia_scf_pmu_0", "cycles", 0x100000000},
    {kGrace, "nvidia_nvlink_c2c0_pmu_0", "rd_cum_outs_loc", 0xc},
    {kGrace, "nvidia_pcie_pmu_0", "total_req_rem,root_port=3", 0xb, 3},
    {"vera", "nvidia_ucf_pmu_0", "slc_access_rd", 0x111},
    {"vera", "nvidia_pcie_pmu_0_rc_4", "rd_cum_outs", 0x4},
    {"vera", "nvidia_pcie_tgt_pmu_0_rc_4", "cycles", 0x4},
    {"vera", "nvidia_nvlink_c2c_pmu_0", "out_wr_req", 0x8},
    {"vera", "nvidia_cmem_latency_pmu_0", "rd_cum_outs", 0x2},
    {"ampereone", "ampere_mcu_pmu_0", "rank_sref", 0x26},
    // drivers/perf/hisilicon
    {"kunpeng920", "hisi_sccl1_ddrc0", "flux_rd", 0x1},
    {"kunpeng920", "hisi_sccl3_l3c4", "back_invalid", 0x29},
    {"kunpeng920", "hisi_sccl1_hha0", "edir-home-migrate", 0x4d},
    {kKunpeng930, "hisi_sccl1_ddrc0", "flux_rd", 0x84},
    {kKunpeng930, "hisi_sccl1_ddrc0_1", "flux_wr", 0x83},
    {kKunpeng930, "hisi_sccl3_l3c4", "l3c_ref", 0xb8},
    {kKunpeng930, "hisi_sccl1_sllc2", "tx_data", 0x35},
    {kKunpeng930, "hisi_sicl1_pa0", "cycle", 0x78},
    {"0x00000000480fd060", "hisi_sccl3_l3c4_1", "l3c_ref", 0xbc},
    {"0x00000000480fd060", "hisi_scl1_noc0_1", "egress_flow_sum", 0x17},
    {"kunpeng920", "hisi_pcie1_core2", "rx_mrd_cnt,port=1", 0x10210},
    {"kunpeng920", "hns3_pmu_sicl_0", "dly_tx_normal_to_mac_packet_num,global=1", 0x10204,
     1ULL << 52},
    // Other makers of Arm
    {kYitian, "ali_drw_21000", "op_is_enter_selfref_rk2", 0x1c},
    {kYitian, "mrvl_ddr_pmu_87e1b0000000", "ddr_ddr_writes", 0x64},
    {kGrace, "mrvl_pcie_rc_pmu_20000", "ats_inv_latency", 26},
    {"thunderx2", "uncore_ccpi2_0", "gic_pktsent", 0x12d},
    {"thunderx2", "uncore_l3c_1", "read_hit", 0x17},
    {"emag", "l3c0", "generation-flip", 0x26},
    {"emag", "mc3", "act-sent", 0x1},
    {"0x00000000500f0001", "mc3", "act-cmd-sent", 0x2},
    {kFalkor, "l3cache_0_1", "write-miss", 0x25},
    {kFalkor, "l2cache_0", "clrex", 0x422},
    {"monaka", "mac_iod0_mac0_ch1", "ea-ha", 0xa0},
    {"monaka", "pci_iod0_pci0", "pci-port1-write-count-bus", 0x64},
    {"cortex-a55", "imx9_ddr0", "eddrtq_pmon_ld_rdq0", 0xa0042},
    {"cortex-a55", "meson_ddr_bw", "chan_4_rw_bytes,gpu=1", 0x4, 2},
    {"cortex-a76", "rockchip_ddr", "bytes", 0xb},
    {"n1", "arm_ni_0_cd_1", "hsni,eventid=3,nodeid=2", 0x300020007},
    {"n1", "arm_cspmu_mc_2", "cycles", 0x100000000},
    {"n1", "dwc_rootport_10000", "rx_memory_read,lane=5", 0x51070c},
    {"n1", "dwc_rootport_10000", "L1_2", 0x6},
    {"n1", "CCI_550", "cci_snoop_back_invalidation", 0x1e8},
    {"n1", "ccn_1", "hnf_sf_hit,node=4", 0x060404},
    {"0x00000000610f0320", "apple_blizzard_pmu", "instructions", 0x8c},
    // Everywhere, and other architectures
    {"skx", "cxl_pmu_mem0.0", "ddr_casrd", 0x1e98800000000004},
    {"zen4", "i915_0000_03_00.0", "vcs1-sema", 0x2012},
    {"skylake", "i915", "rc6-residency", 0x100003},
    {"lunarlake", "xe_0000_00_02.0", "gt-actual-frequency,gt=1", 0x1000000000000004},
    {"sapphirerapids", "dmar3", "iotlb_hit", 0x30000002},
    {"skx", "dfl_fme0", "vtd_sip_rcc_miss", 0xff400b},
    {"zen4", "amdgpu_df_1", "cake1_ftiinstat_rspalloc", 0x8470b},
    {"power10", "nmem0", "fast_w_cnt", 0x10},
    {"power10", "hv_gpci", "system_hypervisor_times_time_spent_on_system_management",
     0xffffffff000000f0, 0x0000001808080000},
    {"power10", "vpa_dtl", "dtl_all", 0x7},
    {"cortex-a9", "l2c_310", "epfrcvd", 0xf},
    {"cortex-a7", "mmdc0", "write-bytes", 0x5},
    {"dubhe-80", "starfive_starlink_pmu", "read_miss", 0x4008002},
};

TEST(DriverEvents, OfPmusWithNumbersInTheirNamesResolveOnNamedCpus) {
  for (const DriverEvent& row : kDriverEvents) {
    const std::string text = fmt::format("{}/{}/", row.pmu, row.event);
    const auto machine = Machine::named(row.cpu, {}, {}, UserEvents::leave_out);
    ASSERT_TRUE(machine) << row.cpu;
    const auto found = machine->resolve(text);
    ASSERT_TRUE(found) << row.cpu << ' ' << text << ": " << found.error().text();
    ASSERT_EQ(found->size(), 1u) << text;
    EXPECT_EQ(found->front().code.config[0], row.config) << row.cpu << ' ' << text;
    EXPECT_EQ(found->front().code.config[1], row.config1) << row.cpu << ' ' << text;
    const std::string_view event = row.event;
    if (event.find(',') != event.npos) continue;
    const auto names = machine->names_of(found->front().pmu, found->front().code).names;
    EXPECT_NE(std::ranges::count(names, to_lower(event)), 0) << row.cpu << ' ' << text;
  }
}

/// A recording has the PMU's name and number, and the words of the attr. Events with terms of the
/// user are left out.
TEST(DriverEvents, NameTheCodesOfRecordings) {
  for (const DriverEvent& row : kDriverEvents) {
    const std::string_view event = row.event;
    if (event.find(',') != event.npos) continue;
    const auto named = Machine::named(row.cpu, {}, {}, UserEvents::leave_out);
    ASSERT_TRUE(named) << row.cpu;
    const CpuInfo& cpu = named->cpu();
    pmu::RecordedPmus recorded;
    recorded.mappings = {{1, "software"}, {31, row.pmu}};
    const Machine machine = recorded_machine(cpu.arch, cpu.cpuid, recorded);
    const auto names = machine.names_of(make_code(31, {row.config, row.config1})).names;
    ASSERT_FALSE(names.empty()) << row.pmu << ' ' << event;
    EXPECT_NE(std::ranges::count(names, to_lower(event)), 0) << row.pmu << ' ' << event;
  }
}

TEST(DriverEvents, OfPmusWithNumbersInTheirNamesAreNotOnOtherCpus) {
  const struct {
    const char *cpu, *event;
  } cases[] = {
      {"n1", "nvidia_scf_pmu_0/cmem_rd_data/"},
      {"vera", "nvidia_scf_pmu_0/cmem_rd_data/"},
      {kGrace, "nvidia_ucf_pmu_0/slc_allocate/"},
      {"n1", "hisi_sccl1_ddrc0/flux_rd/"},
      {"kunpeng920", "hisi_sccl1_ddrc0/cycles/"},
      {"kunpeng920", "hisi_sicl1_pa0/cycle/"},
      {"kunpeng920", "hisi_sccl1_ddrcx/flux_rd/"},
      {"n1", "uncore_l3c_0/read_hit/"},
      {"skx", "dwc_rootport_10000/L0/"},
      {"zen4", "dmar0/iotlb_hit/"},
      {"n1", "dmar0/iotlb_hit/"},
      {"skx", "ccn/cycles/"},
      {"n1", "apple_icestorm_pmu/instructions/"},
  };
  for (const auto& c : cases)
    EXPECT_TRUE(codes_of(c.cpu, c.event).starts_with("error")) << c.cpu << ' ' << c.event;
}

/// drivers/perf/apple_m1_cpu_pmu.c: 0x8c counts instructions. A guest on such a CPU has PMUv3.
TEST(DriverEvents, CoresOfAppleHaveNoneOfArmsNames) {
  constexpr const char* kApple = "0x00000000610f0320";
  const auto named = Machine::named(kApple, {}, {}, UserEvents::leave_out);
  ASSERT_TRUE(named);
  EXPECT_EQ(named->cpu().matched_by, MatchedBy::none);
  EXPECT_EQ(named->cpu().model, "");
  for (const char* event :
       {"inst_retired", "cpu_cycles", "l1d_cache", "exc_trap_dabort", "br_retired"})
    EXPECT_FALSE(named->resolve(event)) << event;
  EXPECT_EQ(codes_of(kApple, "apple_blizzard_pmu/cycles/"), "apple_blizzard_pmu:-:0x2:0x0");
  for (const EventInfo& event : named->events("inst*")) EXPECT_EQ(event.name, "instructions");

  pmu::RecordedPmus recorded;
  recorded.mappings = {{10, "apple_blizzard_pmu"}, {11, "apple_avalanche_pmu"}};
  const Machine machine = recorded_machine("aarch64", kApple, recorded);
  for (const std::uint32_t type : {10u, 11u}) {
    EXPECT_EQ(machine.names_of(make_code(type, {0x8c})).names,
              std::vector<std::string>{"instructions"});
    EXPECT_EQ(machine.names_of(make_code(type, {0x2})).names, std::vector<std::string>{"cycles"});
    EXPECT_TRUE(machine.names_of(make_code(type, {0x8})).names.empty());
  }
  recorded.mappings = {{10, "armv8_pmuv3_0"}};
  const Machine guest = recorded_machine("aarch64", kApple, recorded);
  EXPECT_EQ(guest.names_of(make_code(10, {0x8})).names.front(), "inst_retired");
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

// perf's own events: arch/*/ of util/tool_pmu.c, and the units of perf stat.
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
