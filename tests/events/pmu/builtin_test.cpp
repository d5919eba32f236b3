#include <gtest/gtest.h>

#include <algorithm>

#include "events/pmu/builtin.hpp"
#include "events/pmu/sysfs.hpp"
#include "support/event_tables.hpp"
#include "support/temp_dir.hpp"

namespace evname::pmu {
namespace {

using test::EventTables;
using test::TempDir;

const Pmu* find(const std::vector<Pmu>& pmus, std::string_view name) {
  const auto at =
      std::find_if(pmus.begin(), pmus.end(), [&](const Pmu& p) { return p.name == name; });
  return at == pmus.end() ? nullptr : &*at;
}

std::vector<std::string> names(const std::vector<Pmu>& pmus) {
  std::vector<std::string> out;
  for (const Pmu& pmu : pmus) out.push_back(pmu.name);
  return out;
}

using Names = std::vector<std::string>;

TEST(BuiltinPmus, WithoutModelThereIsTheCorePmuAlone) {
  const struct {
    const char *arch, *cpuid, *pmu;
    std::optional<std::uint32_t> type;
  } cases[] = {{"x86", "GenuineIntel-6-55-4", "cpu", 4},
               {"x86", "", "cpu", 4},
               {"arm64", "0x00000000410fd0c0", "armv8_pmuv3_0", std::nullopt},
               {"powerpc", "0x004e1202", "cpu", 4},
               {"s390", "", "cpum_cf", std::nullopt},
               {"riscv", "", "cpu", 4},
               {"mips", "", "cpu", 4}};
  for (const auto& c : cases) {
    const auto pmus = builtin_pmus(c.arch, c.cpuid, {});
    ASSERT_EQ(pmus.size(), 1u) << c.arch;
    EXPECT_EQ(pmus[0].name, c.pmu);
    EXPECT_EQ(pmus[0].type, c.type) << c.arch;
    EXPECT_TRUE(pmus[0].is_core);
    EXPECT_EQ(pmus[0].origin, Origin::builtin);
  }
}

TEST(BuiltinPmus, HybridModelsHaveBothCorePmus) {
  EventTables builder("x86");
  builder.add_model("alderlake", {{"cpu_atom"}, {"cpu_core"}, {"uncore_imc"}});
  const auto pmus = builtin_pmus("x86", "GenuineIntel-6-97-2", builder.view(0));
  EXPECT_EQ(names(pmus), (Names{"cpu_atom", "cpu_core", "uncore_imc"}));
  EXPECT_EQ(find(pmus, "cpu_core")->type, 4u);
  EXPECT_EQ(find(pmus, "cpu_atom")->type, std::nullopt);
  EXPECT_NE(find(pmus, "cpu_core")->find_format("frontend"), nullptr);
  EXPECT_EQ(find(pmus, "cpu_atom")->find_format("frontend"), nullptr);
}

// Codes: linux 6.12, tools/perf/tests/attr/test-stat-detailed-3.
TEST(BuiltinPmus, CoresWithPerfMetricsHaveTheTopdownEvents) {
  EventTables builder("x86");
  builder.add_model("icelakex");
  builder.add_model("sapphirerapids");
  builder.add_model("skylakex");
  const auto events = [&](std::size_t model) {
    return builtin_pmus("x86", "", builder.view(model)).at(0).events;
  };
  const auto topdown = [&](std::size_t model) {
    std::string found;
    for (const SysfsEvent& event : events(model))
      if (event.name.starts_with("topdown") || event.name == "slots")
        found += event.name + ":" + event.terms + " ";
    return found;
  };
  // icl_td_events_attrs, glc_td_events_attrs and hsw_events_attrs of intel/core.c
  EXPECT_EQ(topdown(0),
            "slots:event=0x00,umask=0x4 topdown-bad-spec:event=0x00,umask=0x81 "
            "topdown-be-bound:event=0x00,umask=0x83 topdown-fe-bound:event=0x00,umask=0x82 "
            "topdown-retiring:event=0x00,umask=0x80 ");
  EXPECT_NE(topdown(1).find("topdown-mem-bound:event=0x00,umask=0x87"), std::string::npos);
  EXPECT_EQ(topdown(2).find("retiring"), std::string::npos);
  EXPECT_NE(topdown(2).find("topdown-slots-retired:event=0xc2,umask=0x2"), std::string::npos);
}

TEST(BuiltinPmus, InstancesOfAUnitAreOnePmu) {
  EventTables builder("x86");
  builder.add_model("skylake", {{"default_core"}, {"uncore_cbox"}, {"uncore_cbox_0"}});
  builder.add_model(
      "tigerlake",
      {{"default_core"}, {"uncore_imc_free_running_0"}, {"uncore_imc_free_running_1"}});
  EXPECT_EQ(names(builtin_pmus("x86", "", builder.view(0))), (Names{"cpu", "uncore_cbox"}));
  EXPECT_EQ(names(builtin_pmus("x86", "", builder.view(1))),
            (Names{"cpu", "uncore_imc_free_running_0", "uncore_imc_free_running_1"}));
}

// What the driver calls them: uncore_snb.c, uncore_snbep.c.
TEST(BuiltinPmus, AreCalledAsTheDriverCallsThem) {
  EventTables builder("x86");
  builder.add_model("meteorlake", {{"cpu_core"}, {"uncore_hac_cbo"}});
  builder.add_model("graniterapids", {{"default_core"}, {"uncore_mdf"}});
  builder.add_model("sapphirerapids", {{"default_core"}, {"uncore_mdf"}});
  EXPECT_EQ(names(builtin_pmus("x86", "", builder.view(0))),
            (Names{"cpu_core", "uncore_hac_cbox"}));
  EXPECT_EQ(names(builtin_pmus("x86", "", builder.view(1))), (Names{"cpu", "uncore_mdf_sbo"}));
  EXPECT_EQ(names(builtin_pmus("x86", "", builder.view(2))), (Names{"cpu", "uncore_mdf"}));
}

TEST(BuiltinPmus, HaveTheNamesOfEventFilesBeside) {
  const auto unit = [](const char* pmu, const char* model) {
    return std::string(unit_of({"x86", pmu, "", model}, tables::built_in_facts()));
  };
  EXPECT_EQ(unit("uncore_hac_cbox_1", "meteorlake"), "uncore_hac_cbo");
  EXPECT_EQ(unit("uncore_mdf_sbo_0", "graniterapids"), "uncore_mdf");
  EXPECT_EQ(unit("uncore_imc_0", "knightslanding"), "uncore_imc_dclk");
  EXPECT_EQ(unit("uncore_imc_uclk_0", "knightslanding"), "");
  EXPECT_EQ(unit("uncore_imc_0", "skylakex"), "");
  Pmu memory;
  memory.name = "uncore_imc_0";
  memory.unit = "uncore_imc_dclk";
  EXPECT_TRUE(serves("uncore_imc_dclk", memory));
  EXPECT_FALSE(serves("uncore_imc_uclk", memory));
}

// Arm: Cortex-R52 is Armv8-R, whose PMUv3 has event numbers of 16 bits; Cortex-A9 is Armv7-A.
TEST(BuiltinPmus, OfThirtyTwoBitArmAreThoseOfItsVersion) {
  EventTables builder("arm");
  builder.add_model("cortex-r52", {{"default_core"}});
  builder.add_model("cortex-a9", {{"default_core"}});
  EXPECT_EQ(names(builtin_pmus("arm", "", builder.view(0))), Names{"armv8_pmuv3_0"});
  EXPECT_EQ(names(builtin_pmus("arm", "", builder.view(1))), Names{"armv7_pmu"});
}

TEST(BuiltinPmus, EachServesTheTableItWasMadeFor) {
  EventTables builder("arm64");
  builder.add_model("hisilicon/hip08", {{"default_core"}, {"hisi_sccl,ddrc"}, {"hisi_sccl,l3c"}});
  const auto pmus = builtin_pmus("arm64", "", builder.view(0));
  EXPECT_EQ(names(pmus), (Names{"armv8_pmuv3_0", "hisi_sccl_ddrc", "hisi_sccl_l3c"}));
  EXPECT_TRUE(serves("hisi_sccl,ddrc", *find(pmus, "hisi_sccl_ddrc")));
  EXPECT_FALSE(serves("hisi_sccl,ddrc", *find(pmus, "hisi_sccl_l3c")));
}

TEST(BuiltinPmus, TheCpuidDecidesWhereVendorsAndGenerationsDiffer) {
  const auto mask = [](const char* arch, const char* cpuid, const char* field) {
    return builtin_pmus(arch, cpuid, {})[0].find_format(field)->mask;
  };
  EXPECT_EQ(mask("x86", "GenuineIntel-6-55-4", "event"), 0xffu);
  EXPECT_EQ(mask("x86", "AuthenticAMD-25-61-2", "event"), 0xf000000ffu);
  EXPECT_EQ(mask("x86", "HygonGenuine-24-0-1", "event"), 0xf000000ffu);
  // arch/powerpc/perf: isa207-common.c, power9-pmu.c, power10-pmu.c
  EXPECT_EQ(mask("powerpc", "0x004b0201", "event"), (std::uint64_t{1} << 50) - 1);
  EXPECT_EQ(mask("powerpc", "0x004e1202", "event"), (std::uint64_t{1} << 52) - 1);
  EXPECT_EQ(mask("powerpc", "0x00800200", "event"), (std::uint64_t{1} << 60) - 1);
}

// The last field of each driver's format attributes in Linux 6.12 or, of newer units, 7.3.
TEST(BuiltinPmus, OfBusesTraceUnitsAndHypervisorsAreDescribed) {
  const struct {
    const char *arch, *cpuid, *model, *pmu, *field;
    std::uint8_t word;
    std::uint64_t mask;
  } cases[] = {
      {"arm64", "", "", "arm_spe_0", "inv_event_filter", 3, ~std::uint64_t{0}},
      {"arm64", "", "", "arm_spe_0", "inv_data_src_filter", 4, ~std::uint64_t{0}},
      {"arm64", "", "", "arm_spe_0", "float_filter_mask", 0, std::uint64_t{1} << 42},
      {"arm64", "", "", "cs_etm", "timestamp", 0, 0xf0},
      {"arm64", "", "", "cs_etm", "configid", 2, 0xffffffff00000000},
      {"arm64", "", "", "hisi_ptt0_2", "format", 0, 0xf00000000},
      {"arm64", "", "", "smmuv3_pmcg_2b442", "filter_enable", 1, 0x200000000},
      {"arm64", "", "", "arm_dmc620_1000000", "clkdiv2", 2, 0x200},
      {"arm64", "", "", "nvidia_pcie_pmu_0", "root_port", 1, 0x3ff},
      {"arm64", "", "", "dwc_rootport_10018", "lane", 0, 0xff00000},
      {"x86", "", "", "cxl_pmu_mem0.0", "hdm", 2, 0xffff},
      {"arm64", "", "", "hisi_pcie0_core1", "bdf", 2, 0xffff0000},
      {"arm64", "", "", "hns3_pmu_sicl_0", "global", 1, 0x10000000000000},
      {"arm64", "", "", "uncore_dmc_1", "event", 0, 0x1f},
      {"riscv", "", "", "starfive_starlink_pmu", "event", 0, 0xffffffff},
      {"x86", "", "", "dsa0", "filter_eng", 1, 0xff0000000000000},
      {"x86", "", "", "dmar3", "filter_page_table", 2, 0x1f00000000},
      {"powerpc", "", "", "hv_24x7", "lpar", 1, 0xffff},
      {"powerpc", "", "", "hv_gpci", "offset", 1, 0xffffffff00000000},
      {"powerpc", "", "", "nest_mba0_imc", "mode", 0, 0x1fe00000000},
      {"powerpc", "", "", "trace_imc", "cpmc_load", 0, 0x3fffffffc0000000},
      {"x86", "GenuineIntel-6-2E-6", "nehalemex", "uncore_mbox_0", "pld", 1, 0xffffffff00000000},
      {"x86", "GenuineIntel-6-2F-2", "westmereex", "uncore_rbox_1", "qlx_cfg", 1, 0xffff},
      {"x86", "GenuineIntel-6-2F-2", "westmereex", "uncore_bbox_1", "event", 0, 0x3e},
      {"x86", "GenuineIntel-19-1-0", "", "uncore_imc_3", "thresh", 0, 0x1ff800000},
      {"x86", "GenuineIntel-19-1-0", "", "uncore_cxlcm_0", "port_en", 0, 0xf00000000},
      {"x86", "GenuineIntel-19-1-0", "", "uncore_pcie6_0", "port_sel", 0, 0xff000000000000},
      {"x86", "GenuineIntel-19-1-0", "", "uncore_sca_1", "umask", 0, 0xffffffff0000ff00},
      {"x86", "GenuineIntel-19-1-0", "", "cpu", "offmodule_rsp", 1, ~std::uint64_t{0}},
      {"x86", "GenuineIntel-18-3-0", "novalake", "cpu_core", "offmodule_rsp", 1, ~std::uint64_t{0}},
      {"x86", "GenuineIntel-18-3-0", "novalake", "cpu_atom", "acr_mask", 2, ~std::uint64_t{0}},
      {"x86", "GenuineIntel-18-3-0", "novalake", "uncore_santa_1", "threshold", 0, 0x3f000000},
      {"x86", "GenuineIntel-18-3-0", "novalake", "uncore_hbo_0", "thresh", 0, 0xff000000},
      {"x86", "GenuineIntel-6-C5-2", "arrowlake", "cpu_lowpower", "snoop_rsp", 1,
       ~std::uint64_t{0}},
      {"x86", "GenuineIntel-6-BD-1", "lunarlake", "uncore_hbo_1", "threshold", 0, 0xff000000},
      {"x86", "GenuineIntel-6-DD-0", "clearwaterforest", "uncore_iio_2", "fc_mask", 0,
       0x7000000000000},
      {"x86", "AuthenticAMD-26-50-0", "", "ibs_op", "strmst", 1, 0x1000},
      {"arm64", "", "", "nvidia_pcie_pmu_0_rc_3", "dst_rem", 2, 0x10},
      {"arm64", "", "", "nvidia_ucf_pmu_0", "dst_rem", 1, 0x800},
      {"arm64", "", "", "mac_iod0_mac1_ch2", "event", 0, 0xff},
  };
  for (const auto& c : cases) {
    EventTables builder(c.arch);
    builder.add_model(c.model);
    RecordedPmus recorded;
    recorded.mappings.emplace_back(30, c.pmu);
    const auto pmus = recorded_pmus(recorded, c.arch, c.cpuid, builder.view(0));
    const Format* field = pmus.front().find_format(c.field);
    ASSERT_NE(field, nullptr) << c.pmu;
    EXPECT_EQ(field->word, c.word) << c.pmu;
    EXPECT_EQ(field->mask, c.mask) << c.pmu;
  }
}

/// Every format of `real` is described alike, and nothing else is.
void expect_same_formats(const Pmu& real, const Pmu& described, const char* where) {
  for (const Format& format : real.formats) {
    const Format* ours = described.find_format(format.name);
    ASSERT_NE(ours, nullptr) << where << " " << real.name << "/" << format.name;
    EXPECT_EQ(ours->word, format.word) << where << " " << real.name << "/" << format.name;
    EXPECT_EQ(ours->mask, format.mask) << where << " " << real.name << "/" << format.name;
  }
}

TEST(BuiltinPmus, AgreeWithTheFormatFilesOfRealTrees) {
  const struct {
    const char *archive, *root, *arch, *cpuid, *model;
    std::size_t described;  ///< PMUs that have formats
  } cases[] = {
      {"sysfs/skylakex.tgz", "", "x86", "GenuineIntel-6-55-4", "skylakex", 19},
      {"sysfs/skylake.tgz", "", "x86", "GenuineIntel-6-9E-9", "skylake", 5},
      {"sysfs/amdzen4.tgz", "", "x86", "AuthenticAMD-25-61-2", "amdzen4", 5},
      {"sysfs/neoverse-n1.tgz", "", "arm64", "0x00000000410fd0c0", "arm/neoverse-n1", 1},
      {"recordings/arm64-max.sysfs.tgz", "sys", "arm64", "0x00000000000f0510", "common", 3},
  };
  for (const auto& c : cases) {
    const TempDir tree;
    if (!test::unpack_shared(tree, c.archive)) GTEST_SKIP() << "EVNAME_SHARED is not set";
    const auto real = sysfs_pmus(tree.path(c.root), c.arch, nullptr);
    ASSERT_TRUE(real) << c.archive;
    RecordedPmus recorded;
    for (const Pmu& pmu : *real) recorded.mappings.emplace_back(*pmu.type, pmu.name);
    EventTables builder(c.arch);
    builder.add_model(c.model);
    const auto ours = recorded_pmus(recorded, c.arch, c.cpuid, builder.view(0));
    std::size_t described = 0;
    for (const Pmu& pmu : *real) {
      const Pmu* same = find(ours, pmu.name);
      ASSERT_NE(same, nullptr) << pmu.name;
      EXPECT_EQ(same->is_core, pmu.is_core) << c.archive << " " << pmu.name;
      EXPECT_EQ(same->is_uncore, pmu.is_uncore) << c.archive << " " << pmu.name;
      expect_same_formats(pmu, *same, c.archive);
      described += pmu.formats.empty() ? 0 : 1;
    }
    EXPECT_EQ(described, c.described) << c.archive;
  }
}

}  // namespace
}  // namespace evname::pmu
