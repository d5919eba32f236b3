// The tables of this build, as the cpu layer sees them.

#include <gtest/gtest.h>

#include <map>

#include "events/cpu/find_model.hpp"
#include "events/cpu/identity.hpp"
#include "events/tables/cpu_facts.hpp"
#include "support/built_models.hpp"

namespace evname::cpu {
namespace {

std::vector<tables::ModelView> mapped_models() {
  return test::built_models(tables::kSystem | tables::kStandard);
}

TEST(BuiltTables, EveryModelIsReachedByASampleCpuid) {
  for (const tables::ModelView& model : mapped_models()) {
    const std::string sample(model.example_cpuid());
    EXPECT_EQ(arch_of_cpuid(sample), model.arch().arch) << model.name() << " " << sample;
    const ModelMatch match = match_model(model.arch().arch, sample, "");
    ASSERT_TRUE(match.model) << sample;
    EXPECT_EQ(match.model.name(), model.name()) << sample;
    EXPECT_EQ(match.matched_by, MatchedBy::cpuid);
  }
}

TEST(BuiltTables, EveryModelIsFoundByItsDirectory) {
  for (const tables::ModelView& model : mapped_models()) {
    const auto found = find_model(model.name()).model;
    ASSERT_TRUE(found) << model.name();
    EXPECT_EQ(found.model, model.model) << model.name();
  }
}

TEST(BuiltTables, EveryOtherNameMeansADirectoryThatIsThere) {
  if (mapped_models().empty()) GTEST_SKIP() << "built without tables";
  const tables::CpuFacts& facts = tables::built_in_facts().front();
  for (const tables::CpuName& row : facts.names) {
    if (row.model == 0) continue;
    EXPECT_EQ(bare_name(facts.text(row.name)), facts.text(row.name));
    const auto model = find_model(facts.text(row.model)).model;
    ASSERT_TRUE(model) << facts.text(row.model);
    EXPECT_EQ(model.name(), facts.text(row.model));
  }
}

/// Returns the architecture of a directory of the tables.
std::string_view arch_of_model(std::string_view directory) {
  const auto found = find_model(directory).model;
  return found ? found.arch().arch : std::string_view();
}

TEST(BuiltTables, ACpuidBesideANameIsOneOfItsModel) {
  if (mapped_models().empty()) GTEST_SKIP() << "built without tables";
  const tables::CpuFacts& facts = tables::built_in_facts().front();
  std::size_t checked = 0;
  const auto check = [&](std::string_view what, std::string_view directory,
                         std::string_view cpuid) {
    if (directory.empty() || cpuid.empty() || arch_of_model(directory).empty()) return;
    const std::string_view arch = arch_of_model(directory);
    EXPECT_EQ(match_model(arch, cpuid, "").model.name(), directory) << what << " " << cpuid;
    EXPECT_EQ(arch_of_cpuid(cpuid), arch) << what;
    EXPECT_EQ(lookup_cpuid(arch, cpuid), cpuid) << what;
    ++checked;
  };
  for (const tables::CpuName& row : facts.names)
    check(facts.text(row.name), facts.text(row.model), facts.text(row.cpuids));
  for (const tables::CpuProduct& row : facts.products)
    check(facts.text(row.pattern), facts.text(row.model), facts.text(row.cpuid));
  EXPECT_GT(checked, 150u);
}

// Name and first CPUID of each row of mapfile.csv in Intel's perfmon repository.
TEST(BuiltTables, ShortNamesMeanTheCpusThatIntelMeansByThem) {
  const struct {
    const char *name, *cpuid;
  } cases[] = {{"ADL", "97"}, {"BDW", "3D"},       {"BDW-DE", "56"},    {"BDX", "4F"},
               {"BNL", "1C"}, {"CLX", "55-5"},     {"EHL", "96"},       {"EMR", "CF"},
               {"GLM", "5C"}, {"GLP", "7A"},       {"GNR", "AD"},       {"GRR", "B6"},
               {"HSW", "3C"}, {"HSX", "3F"},       {"ICL", "7D"},       {"ICX", "6A"},
               {"IVB", "3A"}, {"IVT", "3E"},       {"JKT", "2D"},       {"KNL", "57"},
               {"LNL", "BD"}, {"MTL", "AA"},       {"NHM-EP", "1E"},    {"NHM-EX", "2E"},
               {"RKL", "A7"}, {"SKL", "4E"},       {"SKX", "55-4"},     {"SLM", "37"},
               {"SNB", "2A"}, {"SNR", "86"},       {"SPR", "8F"},       {"SRF", "AF"},
               {"TGL", "8C"}, {"WSM-EP-DP", "2C"}, {"WSM-EP-SP", "25"}, {"WSM-EX", "2F"}};
  if (!tables::find_architecture("x86")) GTEST_SKIP() << "built without x86";
  for (const auto& c : cases) {
    const ModelMatch match = match_model("x86", std::string("GenuineIntel-6-") + c.cpuid, "");
    ASSERT_TRUE(match.model) << c.cpuid;
    EXPECT_EQ(find_model(c.name).model.name(), match.model.name()) << c.name;
  }
}

TEST(BuiltTables, NoNameStandsForTwoModels) {
  std::map<std::string_view, std::string_view> seen;
  const tables::CpuFacts& facts = tables::built_in_facts().front();
  for (const tables::CpuName& row : facts.names) {
    if (row.kind == tables::NameKind::pmu_name) continue;
    const auto [at, is_new] = seen.emplace(facts.text(row.name), facts.text(row.model));
    EXPECT_TRUE(is_new) << facts.text(row.name) << " is " << at->second << " and "
                        << facts.text(row.model);
  }
}

// CPUIDs that perf's oracle runs used (see the headers of the shared oracle files).
TEST(BuiltTables, WellKnownCpusMatchTheirModels) {
  const struct {
    const char *arch, *cpuid, *model;
  } cases[] = {{"x86", "GenuineIntel-6-55-4", "skylakex"},
               {"x86", "GenuineIntel-6-55-7", "cascadelakex"},
               {"x86", "GenuineIntel-6-9E-9", "skylake"},
               {"x86", "AuthenticAMD-25-61-2", "amdzen4"},
               {"arm64", "0x00000000410fd0c0", "arm/neoverse-n1"},
               {"arm64", "0x00000000414fd0c1", "arm/neoverse-n1"},
               {"powerpc", "0x004e1202", "power9"},
               {"s390", "IBM,3906,704,M03,3.5,002f", "cf_z14"},
               {"riscv", "0x489-0x8000000000000007-0x20181004", "sifive/bullet"}};
  for (const auto& c : cases) {
    if (!tables::find_architecture(c.arch)) continue;
    const ModelMatch match = match_model(c.arch, c.cpuid, "");
    ASSERT_TRUE(match.model) << c.cpuid;
    EXPECT_EQ(match.model.name(), c.model);
  }
}

// Names of drivers/perf/arm_v7_pmu.c and arm_pmuv3.c, and of arch/arm/kernel/perf_event_v7.c of
// Linux 3.8.
TEST(MatchModel, TheNameOfAnArmPmuTellsTheCpu) {
  const struct {
    const char *arch, *pmu, *model;
  } cases[] = {{"arm", "armv7_cortex_a7", "cortex-a7"},
               {"arm", "ARMv7 Cortex-A15", "cortex-a15"},
               {"arm", "armv8_cortex_a53", "arm/cortex-a53"},
               {"arm64", "armv8_cortex_a72", "arm/cortex-a57-a72"},
               {"arm64", "armv8_neoverse_n1", "arm/neoverse-n1"}};
  for (const auto& c : cases) {
    const auto match = match_model(c.arch, "", c.pmu);
    ASSERT_TRUE(match.model) << c.pmu;
    EXPECT_EQ(match.model.name(), c.model);
    EXPECT_EQ(match.matched_by, MatchedBy::caps);
  }
  for (const char* pmu : {"armv8_pmuv3_0", "armv7_unknown", "cpu", "armv8_"})
    EXPECT_NE(match_model("arm64", "", pmu).matched_by, MatchedBy::caps) << pmu;
}

// arch/x86/include/asm/intel-family.h of Linux 7.3.
TEST(MatchModel, ACpuWithoutPublishedEventsIsNamed) {
  EXPECT_EQ(match_model("x86", "GenuineIntel-19-1-0", "").note,
            "CPUID GenuineIntel-19-1-0 is Diamond Rapids, whose events are not published");
  EXPECT_EQ(match_model("x86", "GenuineIntel-19-10-0", "").note,
            "no event table matches CPUID GenuineIntel-19-10-0");
}

}  // namespace
}  // namespace evname::cpu
