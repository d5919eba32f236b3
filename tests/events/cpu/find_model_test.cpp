#include "events/cpu/find_model.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "events/tables/registry.hpp"
#include "support/event_tables.hpp"

namespace evname::cpu {
namespace {

using test::EventTables;

EventTables x86_tables() {
  EventTables builder("x86");
  builder.mapped("GenuineIntel-6-(97|9A|B7|BA|BF)", "alderlake");
  builder.mapped("GenuineIntel-6-55-[56789ABCDEF]", "cascadelakex");
  builder.mapped("GenuineIntel-6-6[AC]", "icelakex");
  builder.mapped("GenuineIntel-6-8F", "sapphirerapids");
  builder.mapped("GenuineIntel-6-(4E|5E|8E|9E|A5|A6)", "skylake");
  builder.mapped("GenuineIntel-6-55-[01234]", "skylakex");
  builder.mapped("GenuineIntel-6-2C", "westmereep-dp");
  builder.mapped("AuthenticAMD-25-[[:xdigit:]]+", "amdzen4");
  return builder;
}

EventTables arm64_tables() {
  EventTables builder("arm64");
  builder.mapped("0x00000000410fd070", "arm/cortex-a57-a72");
  builder.mapped("0x00000000410fd0c0", "arm/neoverse-n1");
  builder.mapped("0x00000000410fd490", "arm/neoverse-n2-v2");
  builder.add_model("freescale/imx8mm/sys", {{"imx8_ddr"}}, tables::kSystem);
  builder.add_model("common", {{"default_core"}}, tables::kStandard);
  return builder;
}

TEST(MatchModel, TheFirstMatchingRowWins) {
  const auto builder = x86_tables();
  const auto match = match_model(builder.build(), "GenuineIntel-6-55-7", "skylake");
  EXPECT_EQ(match.model.name(), "cascadelakex");
  EXPECT_EQ(match.matched_by, MatchedBy::cpuid);
  EXPECT_EQ(match.note, "");
}

TEST(MatchModel, ARowOfAModelThatIsNotInThisBuildIsFollowedByNoOther) {
  EventTables builder("x86");
  builder.add_row("AuthenticAMD-23-([12][0-9A-F]|[0-9A-F])", tables::kLeftOut);  // amdzen1
  builder.mapped("AuthenticAMD-23-[[:xdigit:]]+", "amdzen2");
  EXPECT_EQ(match_model(builder.build(), "AuthenticAMD-23-1-1", "").matched_by, MatchedBy::none);
  EXPECT_EQ(match_model(builder.build(), "AuthenticAMD-23-31-0", "").model.name(), "amdzen2");
}

// Names of intel_pmu_init in arch/x86/events/intel/core.c.
TEST(MatchModel, AnUnknownCpuFallsBackToThePmuNameCapability) {
  const auto builder = x86_tables();
  const struct {
    const char *pmu_name, *model;
  } cases[] = {{"skylake", "skylake"},
               {"sapphire_rapids", "sapphirerapids"},
               {"alderlake_hybrid", "alderlake"},
               {"westmere", "westmereep-dp"}};
  for (const auto& c : cases) {
    const auto match = match_model(builder.build(), "GenuineIntel-6-FF-1", c.pmu_name);
    ASSERT_TRUE(match.model) << c.pmu_name;
    EXPECT_EQ(match.model.name(), c.model);
    EXPECT_EQ(match.matched_by, MatchedBy::caps);
    EXPECT_NE(match.note.find("GenuineIntel-6-FF-1"), std::string::npos);
  }
}

TEST(MatchModel, WithoutAnyClueNoModelIsChosen) {
  const auto builder = x86_tables();
  for (const char* pmu_name : {"", "generic_arch_v5+"}) {
    const auto match = match_model(builder.build(), "GenuineIntel-6-FF-1", pmu_name);
    EXPECT_FALSE(match.model);
    EXPECT_EQ(match.matched_by, MatchedBy::none);
  }
}

TEST(MatchModel, Arm64FallsBackToTheStandardEvents) {
  const auto builder = arm64_tables();
  const auto match = match_model(builder.build(), "0x00000000000f0510", "");
  ASSERT_TRUE(match.model);
  EXPECT_TRUE(match.model.model->flags & tables::kStandard);
  EXPECT_EQ(match.matched_by, MatchedBy::architecture);
  EXPECT_EQ(match.note,
            "no event table matches CPUID 0x00000000000f0510; using the standard events of arm64");
}

// A 32-bit kernel may run on a 64-bit CPU, whose events are in the tables of arm64.
TEST(MatchModel, TheArchitectureSaysWhichTablesAreSearched) {
  if (!tables::find_architecture("arm64")) GTEST_SKIP() << "no tables of arm64 are built in";
  const struct {
    const char *arch, *cpuid, *model, *note;
  } cases[] = {
      {"arm64", "0x00000000410fd0c0", "arm/neoverse-n1", ""},
      {"arm", "0x00000000410fd0c0", "arm/neoverse-n1", ""},
      {"powerpc", "0x00000000410fd0c0", "", "no event table matches CPUID 0x00000000410fd0c0"},
      {"vax", "0x00000000410fd0c0", "", "this build has no event tables of vax"},
      {"", "0x00000000410fd0c0", "", "the architecture is not known"}};
  for (const auto& c : cases) {
    const ModelMatch match = match_model(std::string_view(c.arch), c.cpuid, "");
    EXPECT_EQ(match.model ? match.model.name() : "", c.model) << c.arch;
    EXPECT_EQ(match.note.substr(0, std::strlen(c.note)), c.note) << c.arch;
    if (*c.note == '\0') {
      EXPECT_EQ(match.note, "") << c.arch;
    }
  }
}

TEST(MatchModel, AnEmptyCpuidMatchesNoRow) {
  EventTables builder("powerpc");
  builder.mapped(".*", "power8");
  EXPECT_FALSE(match_model(builder.build(), "", "").model);
}

TEST(FindModel, TakesDirectoriesLastPartsAndCodenames) {
  const auto x86 = x86_tables(), arm64 = arm64_tables();
  const tables::ArchTables all[] = {arm64.build(), x86.build()};
  const struct {
    const char *name, *model;
  } cases[] = {
      {"skylakex", "skylakex"},
      {"SkylakeX", "skylakex"},
      {"x86/skylakex", "skylakex"},
      {"skylake-sp", "skylakex"},
      {"skylake-avx512", "skylakex"},
      {"cascadelake", "cascadelakex"},
      {"icelake-server", "icelakex"},
      {"sapphire-rapids", "sapphirerapids"},
      {"sapphire_rapids", "sapphirerapids"},
      {"westmereep_dp", "westmereep-dp"},
      {"zen4", "amdzen4"},
      {"skx", "skylakex"},
      {"SPR", "sapphirerapids"},
      {"adl", "alderlake"},
      {"wsm-ep-dp", "westmereep-dp"},
      {"n1", "arm/neoverse-n1"},
      {"V2", "arm/neoverse-n2-v2"},
      {"znver4", "amdzen4"},
      {"alderlake_hybrid", "alderlake"},
      {"armv8_neoverse_n1", "arm/neoverse-n1"},
      {"armv8_cortex_a72", "arm/cortex-a57-a72"},
      {"arm/neoverse-n1", "arm/neoverse-n1"},
      {"arm64/arm/neoverse-n1", "arm/neoverse-n1"},
      {"neoverse-n1", "arm/neoverse-n1"},
      {"neoverse_n1", "arm/neoverse-n1"},
      {"cortex-a72", "arm/cortex-a57-a72"},
      {"neoverse-v2", "arm/neoverse-n2-v2"},
      {"freescale/imx8mm/sys", "freescale/imx8mm/sys"},
  };
  for (const auto& c : cases) {
    const auto model = find_model(all, c.name).model;
    ASSERT_TRUE(model) << c.name;
    EXPECT_EQ(model.name(), c.model) << c.name;
  }
  for (const char* name : {"", " ", "common", "sys", "skylakey", "znver9"})
    EXPECT_FALSE(find_model(all, name)) << name;
}

TEST(NearModels, ComeNearestFirst) {
  const auto x86 = x86_tables(), arm64 = arm64_tables();
  const tables::ArchTables all[] = {arm64.build(), x86.build()};
  EXPECT_EQ(near_models(all, "skylakey", 2), (std::vector<std::string>{"skylake", "skylakex"}));
  EXPECT_EQ(near_models(all, "neoverse-n3", 1), (std::vector<std::string>{"arm/neoverse-n1"}));
  EXPECT_EQ(near_models(all, "SPX", 1), (std::vector<std::string>{"spr"}));
  EXPECT_EQ(near_models(all, "sapphire", 1), (std::vector<std::string>{"sapphirerapids"}));
  EXPECT_EQ(near_models(all, "sapph", 1), (std::vector<std::string>{"sapphirerapids"}));
  EXPECT_TRUE(near_models(all, "hsx", 9).empty());  // haswellx is none of these models
  EXPECT_TRUE(near_models(all, "qqqqqqqq", 3).empty());
  EXPECT_TRUE(near_models(all, std::string(1 << 20, 'x'), 3).empty());
}

}  // namespace
}  // namespace evname::cpu
