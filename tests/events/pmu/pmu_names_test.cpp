#include <gtest/gtest.h>

#include "events/pmu/pmu.hpp"

namespace evname::pmu {
namespace {

Pmu uncore(std::string name, Origin origin = Origin::sysfs) {
  Pmu pmu;
  pmu.name = std::move(name);
  pmu.is_uncore = true;
  pmu.origin = origin;
  return pmu;
}

Pmu core(std::string name) {
  Pmu pmu;
  pmu.name = std::move(name);
  pmu.is_core = true;
  return pmu;
}

TEST(PmuSuffix, IsAnInstanceNumberWithOrWithoutUnderscore) {
  const struct {
    const char *name, *stem;
    bool matches;
  } cases[] = {
      {"uncore_cha", "uncore_cha", true},
      {"uncore_cha_0", "uncore_cha", true},
      {"uncore_cha_12345", "uncore_cha", true},
      {"uncore_cha_1f", "uncore_cha", false},
      {"uncore_cha_1f0", "uncore_cha", true},
      {"uncore_cha_afa", "uncore_cha", true},
      {"uncore_cha_AFA", "uncore_cha", true},
      {"uncore_cha_0g0", "uncore_cha", false},
      {"uncore_cha_0G0", "uncore_cha", false},
      {"uncore_cha_0@0", "uncore_cha", false},
      {"uncore_cha_0`0", "uncore_cha", false},
      {"uncore_sys_ddr_pmu0", "uncore_sys_ddr_pmu", true},
      {"uncore_imc_free_running_0", "uncore_imc", false},
      {"uncore_imc_free_running_0", "uncore_imc_free_running", true},
      {"cpum_cf", "cpum", false},
      {"uncore_cha_", "uncore_cha", false},
      {"uncore_ch", "uncore_cha", false},
  };
  for (const auto& c : cases)
    EXPECT_EQ(matches_ignoring_suffix(c.name, c.stem), c.matches) << c.name << " " << c.stem;
}

// pmu_name_len_no_suffix of util/pmus.c.
TEST(PmuSuffix, OfListsIsANumberBehindAnUnderscore) {
  const std::pair<const char*, const char*> cases[] = {{"uncore_imc_10", "uncore_imc"},
                                                       {"uncore_cha_1f0", "uncore_cha"},
                                                       {"uncore_cha_1f", "uncore_cha_1f"},
                                                       {"cpum_cf", "cpum_cf"},
                                                       {"cpum_abc", "cpum"},
                                                       {"hisi_sccl1_ddrc0", "hisi_sccl1_ddrc0"},
                                                       {"uncore_imc", "uncore_imc"},
                                                       {"cs_etm", "cs_etm"},
                                                       {"a_5", "a"},
                                                       {"_5", ""},
                                                       {"5", "5"},
                                                       {"", ""}};
  for (const auto& [name, stem] : cases) EXPECT_EQ(sort_stem(name), stem) << name;
}

/// The rows without a remark are perf's own: util/pmu.c, perf_pmu__match_wildcard_uncore. The names
/// are made by the drivers of Linux 7.3.
TEST(PmuPattern, HasNumbersBehindTheNameOrBehindEachPiece) {
  const struct {
    const char *name, *pattern;
    bool matches;
  } cases[] = {
      {"uncore_imc", "uncore_imc", true},
      {"uncore_imc_3", "uncore_imc", true},
      {"dmar0", "dmar", true},
      {"ali_drw_21000", "ali_drw", true},
      {"smmuv3_pmcg_ff88840", "smmuv3_pmcg", true},
      {"dwc_rootport_10000", "dwc_rootport", true},
      {"uncore_l3c_0", "uncore_l3c", true},
      {"l3cache_0", "l3c", false},
      {"hisi_sccl1_ddrc0", "hisi_sccl,ddrc", true},
      {"hisi_sccl11_ddrc13", "hisi_sccl,ddrc", true},
      {"hisi_sccl3_l3c4", "hisi_sccl,l3c", true},
      {"hisi_sccl1_ddrc0", "hisi_sccl,l3c", false},
      {"hisi_sccl1_ddrc0_1", "hisi_sccl,ddrc", false},  // it has a number more
      {"hisi_sccl1_ddrc0_1", "hisi_sccl*_ddrc*_*", true},
      {"hisi_sccl1_ddrcx", "hisi_sccl,ddrc", false},
      {"hisi_sccl1", "hisi_sccl,ddrc", false},
      {"mac_iod0_mac1_ch2", "mac_iod,mac,ch", true},
      {"mac_iod0_mac1", "mac_iod,mac,ch", false},
      {"hisi_sccl_ddrc", "hisi_sccl,ddrc", true},              // stands for all
      {"nvidia_pcie_pmu_0_rc_4", "nvidia_pcie_pmu,rc", true},  // `_` before the number
      {"nvidia_pcie_tgt_pmu_0_rc_4", "nvidia_pcie_pmu,rc", false},
      {"nvidia_pcie_pmu_0", "nvidia_pcie_pmu,rc", false},
      {"nvidia_pcie_pmu_0_rc_4", "nvidia_pcie_pmu", false},
      {"arm_ni_0_cd_1", "arm_ni,cd", true},
      {"cxl_pmu_mem0.0", "cxl_pmu_mem*.*", true},
      {"i915_0000_03_00.0", "i915_*", true},
      {"i915", "i915_*", false},
  };
  for (const auto& c : cases)
    EXPECT_EQ(tables::is_instance(c.name, c.pattern), c.matches) << c.name << " " << c.pattern;
  EXPECT_EQ(tables::name_of_pattern("hisi_sccl,ddrc"), "hisi_sccl_ddrc");
  EXPECT_EQ(tables::name_of_pattern("uncore_imc"), "uncore_imc");
  EXPECT_EQ(tables::name_of_pattern("i915_*"), std::nullopt);
}

TEST(PmuServes, TableNamesServeUncoreInstancesAndAnyCorePmu) {
  EXPECT_TRUE(serves("uncore_cha", uncore("uncore_cha_0")));
  EXPECT_FALSE(serves("uncore_cha", uncore("uncore_cha_1f")));
  EXPECT_FALSE(serves("uncore_imc", uncore("uncore_imc_free_running_0")));
  EXPECT_TRUE(serves("uncore_imc_free_running_0", uncore("uncore_imc_free_running_0")));
  EXPECT_TRUE(serves("hisi_sccl,ddrc", uncore("hisi_sccl1_ddrc0")));
  EXPECT_FALSE(serves("hisi_sccl,ddrc", uncore("hisi_sccl1_hha0")));
  EXPECT_FALSE(serves("hisi_sccl,ddrc", uncore("hisi_sccl1_ddrcx")));
  EXPECT_TRUE(serves("default_core", core("armv8_pmuv3_0")));
  EXPECT_FALSE(serves("default_core", uncore("uncore_cha_0")));
  EXPECT_TRUE(serves("cpum_cf", core("cpum_cf")));
  Pmu pai;
  pai.name = "pai_crypto";
  EXPECT_TRUE(serves("pai_crypto", pai));
  pai.name = "pai_crypto_0";
  EXPECT_FALSE(serves("pai_crypto", pai));
}

TEST(PmuServes, ABuiltinPmuStandsForAllInstances) {
  EXPECT_TRUE(serves("uncore_cbox_0", uncore("uncore_cbox", Origin::builtin)));
  EXPECT_FALSE(serves("uncore_cbox_0", uncore("uncore_cbox", Origin::sysfs)));
}

TEST(PmuWildcard, IgnoresTheUncorePrefixAndInstanceNumbers) {
  const Pmu cbox0 = uncore("uncore_cbox_0"), cbox1 = uncore("uncore_cbox_1");
  for (const char* text : {"cbox", "uncore_cbox", "uncore_cb*", "*cbox*", "cbox_?", "cbox_[01]"}) {
    EXPECT_TRUE(matches_wildcard(text, cbox0)) << text;
    EXPECT_TRUE(matches_wildcard(text, cbox1)) << text;
  }
  EXPECT_TRUE(matches_wildcard("cbox_1", cbox1));
  EXPECT_FALSE(matches_wildcard("cbox_1", cbox0));
  EXPECT_FALSE(matches_wildcard("cb", cbox0));
  EXPECT_TRUE(matches_wildcard("cbox_3", uncore("uncore_cbox", Origin::builtin)));
}

TEST(PmuWildcard, TriesTheAliasToo) {
  Pmu pmu = uncore("uncore_type_1_0");
  pmu.alias = "uncore_iio_0";
  EXPECT_TRUE(matches_wildcard("iio", pmu));
  EXPECT_FALSE(matches_wildcard("upi", pmu));
}

TEST(PmuOrder, IsCoreFirstThenStemThenNumber) {
  std::vector<Pmu> pmus;
  for (const char* name : {"uncore_imc_10", "uncore_imc_2", "uncore_cha_0", "software"})
    pmus.push_back(uncore(name));
  for (const char* name : {"cpu_core", "cpu_atom"}) pmus.push_back(core(name));
  sort_pmus(pmus);
  std::vector<std::string> names;
  for (const Pmu& pmu : pmus) names.push_back(pmu.name);
  EXPECT_EQ(names, (std::vector<std::string>{"cpu_atom", "cpu_core", "software", "uncore_cha_0",
                                             "uncore_imc_2", "uncore_imc_10"}));
}

TEST(PmuLookup, FormatsAreCaseSensitiveAndEventsAreNot) {
  Pmu pmu = core("cpu");
  pmu.formats = {*parse_format("umask", "config:8-15")};
  pmu.events = {SysfsEvent{"MYUP", "event=0x22", 1.0, {}, false, false}};
  EXPECT_NE(pmu.find_format("umask"), nullptr);
  EXPECT_EQ(pmu.find_format("UMASK"), nullptr);
  EXPECT_NE(pmu.find_event("myup"), nullptr);
  EXPECT_EQ(pmu.find_event("myupx"), nullptr);
}

}  // namespace
}  // namespace evname::pmu
