#include <gtest/gtest.h>

#include <algorithm>

#include "events/pmu/builtin.hpp"
namespace evname::pmu {
namespace {

const Pmu* find_pmu(const std::vector<Pmu>& pmus, std::string_view name) {
  const auto at =
      std::find_if(pmus.begin(), pmus.end(), [&](const Pmu& p) { return p.name == name; });
  return at == pmus.end() ? nullptr : &*at;
}

TEST(RecordedPmus, TakeNamesAndTypesFromTheMappingsAndFormatsFromTheBuild) {
  RecordedPmus recorded;
  recorded.mappings = {{26, "uncore_imc_0"}, {4, "cpu"}, {1, "software"}, {33, "mystery"}};
  const auto pmus = recorded_pmus(recorded, "x86", "GenuineIntel-6-55-4", {});
  ASSERT_EQ(pmus.size(), 4u);
  EXPECT_EQ(pmus[0].name, "cpu");
  EXPECT_TRUE(pmus[0].is_core);
  EXPECT_EQ(pmus[0].origin, Origin::recorded);
  EXPECT_EQ(pmus[0].find_format("umask")->mask, 0xff00u);
  EXPECT_EQ(find_pmu(pmus, "uncore_imc_0")->type, 26u);
  EXPECT_TRUE(find_pmu(pmus, "uncore_imc_0")->is_uncore);
  EXPECT_NE(find_pmu(pmus, "uncore_imc_0")->find_format("thresh"), nullptr);
  EXPECT_EQ(find_pmu(pmus, "software")->type, 1u);
  EXPECT_TRUE(find_pmu(pmus, "mystery")->formats.empty());
}

TEST(RecordedPmus, CapsAndHybridCpuListsGoToTheirPmus) {
  RecordedPmus recorded;
  recorded.mappings = {{4, "cpu_core"}, {10, "cpu_atom"}};
  recorded.caps = {{"cpu_core", {{"pmu_name", "alderlake_hybrid"}}}, {"nobody", {{"a", "b"}}}};
  recorded.hybrid = {{"cpu_core", "0-15"}, {"cpu_atom", "16-23"}, {"nobody", "0"}};
  const auto pmus = recorded_pmus(recorded, "x86", "GenuineIntel-6-97-2", {});
  ASSERT_EQ(pmus.size(), 2u);
  EXPECT_EQ(*find_pmu(pmus, "cpu_core")->find_cap("pmu_name"), "alderlake_hybrid");
  EXPECT_EQ(find_pmu(pmus, "cpu_core")->cpus, "0-15");
  EXPECT_EQ(find_pmu(pmus, "cpu_atom")->cpus, "16-23");
  EXPECT_EQ(find_pmu(pmus, "cpu_atom")->type, 10u);
}

// HEADER_HYBRID_TOPOLOGY has core PMUs alone, also those that no table of the build has.
TEST(RecordedPmus, HybridPmusAreCores) {
  RecordedPmus recorded;
  recorded.mappings = {{4, "cpu_core"}, {10, "cpu_tiny"}, {11, "mystery"}};
  recorded.hybrid = {{"cpu_core", "0-3"}, {"cpu_tiny", "4"}};
  const auto pmus = recorded_pmus(recorded, "x86", "GenuineIntel-6-97-2", {});
  EXPECT_TRUE(find_pmu(pmus, "cpu_tiny")->is_core);
  EXPECT_FALSE(find_pmu(pmus, "mystery")->is_core);
}

TEST(RecordedPmus, CapsWithoutPmuNameSpeakOfTheCorePmu) {
  for (const char* name : {"", "cpu"}) {
    RecordedPmus recorded;
    recorded.mappings = {{8, "armv8_pmuv3_0"}, {1, "software"}};
    recorded.caps = {{name, {{"slots", "0x4"}}}};
    const auto pmus = recorded_pmus(recorded, "arm64", "0x00000000410fd0c0", {});
    const std::string* const slots = find_pmu(pmus, "armv8_pmuv3_0")->find_cap("slots");
    ASSERT_NE(slots, nullptr) << name;
    EXPECT_EQ(*slots, "0x4");
  }
}

TEST(RecordedPmus, WithoutMappingsAreTheBuiltinOnes) {
  RecordedPmus recorded;
  recorded.caps = {{"cpu", {{"pmu_name", "skylake"}}}};
  const auto pmus = recorded_pmus(recorded, "x86", "GenuineIntel-6-55-4", {});
  ASSERT_EQ(pmus.size(), 1u);
  EXPECT_EQ(pmus[0].type, 4u);
  EXPECT_EQ(*pmus[0].find_cap("pmu_name"), "skylake");
}

}  // namespace
}  // namespace evname::pmu
