// The models of this build, as users of the library see them.

#include <gtest/gtest.h>

#include <algorithm>

#include "events/cpu/find_model.hpp"
#include "events/cpu/mapfile_pattern.hpp"
#include "events/machine/code_lists.hpp"
#include "evname/machine.hpp"

namespace evname {
namespace {

TEST(Models, EachCanBeNamed) {
  const auto all = models();
  ASSERT_FALSE(all.empty());
  for (const ModelInfo& model : all) {
    const auto machine = Machine::named(std::string(model.arch) + "/" + std::string(model.name));
    ASSERT_TRUE(machine) << model.name;
    EXPECT_EQ(machine->cpu().model, model.name);
    EXPECT_GT(model.events, 0u) << model.name;
  }
}

TEST(Models, AllTheirNamesMeanThem) {
  for (const ModelInfo& model : models())
    for (const auto& names : {model.short_names, model.other_names})
      for (const std::string_view name : names) {
        const auto machine = Machine::named(name);
        ASSERT_TRUE(machine) << name;
        EXPECT_EQ(machine->cpu().model, model.name) << name;
      }
  const auto all = models();
  const auto skx = std::ranges::find(all, "skylakex", &ModelInfo::name);
  ASSERT_TRUE(skx != all.end());
  EXPECT_EQ(skx->short_names, std::vector<std::string_view>{"skx"});
}

TEST(Models, StandardAndSystemEventsAreNone) {
  for (const ModelInfo& model : models()) EXPECT_FALSE(model.name.ends_with("/sys")) << model.name;
}

TEST(CpuPatterns, AreThoseOfTheMapfilesInTheirOrder) {
  // perf's x86 mapfile: the row of Zen 1 comes before the row of Zen 2, which also matches its
  // CPUs.
  const auto rows = cpu::cpu_patterns();
  const auto zen1 = std::ranges::find(rows, "amdzen1", &cpu::CpuPattern::model);
  const auto zen2 = std::ranges::find(rows, "amdzen2", &cpu::CpuPattern::model);
  ASSERT_TRUE(zen1 != rows.end() && zen2 != rows.end());
  EXPECT_LT(zen1, zen2);
  EXPECT_EQ(zen1->arch, "x86");
  // A row of our own, for a CPU that the sources' rows lack, has no version.
  for (const cpu::CpuPattern& row : rows)
    EXPECT_EQ(row.version.empty(), row.pattern == "0x000000006d0fd490") << row.pattern;
  EXPECT_TRUE(cpu::pattern_matches("x86", zen1->pattern, "AuthenticAMD-23-1-0"));
  EXPECT_TRUE(cpu::pattern_matches("x86", zen2->pattern, "AuthenticAMD-23-1-0"));
  EXPECT_FALSE(cpu::pattern_matches("x86", zen1->pattern, "AuthenticAMD-23-31-0"));
}

TEST(CpuPatterns, TellWhichLaterRowsTheyTakeCpusFrom) {
  const auto rows = cpu::cpu_patterns();
  const auto zen1 = std::ranges::find(rows, "amdzen1", &cpu::CpuPattern::model);
  const auto zen2 = std::ranges::find(rows, "amdzen2", &cpu::CpuPattern::model);
  const auto skx = std::ranges::find(rows, "skylakex", &cpu::CpuPattern::model);
  ASSERT_TRUE(zen1 != rows.end() && zen2 != rows.end() && skx != rows.end());
  EXPECT_EQ(zen1->takes_from,
            std::vector<std::size_t>{static_cast<std::size_t>(zen2 - rows.begin())});
  EXPECT_TRUE(zen2->takes_from.empty());
  EXPECT_TRUE(skx->takes_from.empty());
}

TEST(EventCodes, AreThoseThatTheNamesResolveTo) {
  const auto machine = Machine::named("skylakex");
  ASSERT_TRUE(machine);
  const auto codes = machine::event_codes(*machine);
  const auto miss = std::ranges::find(codes, "mem_load_retired.l3_miss", &machine::EventCode::name);
  ASSERT_TRUE(miss != codes.end());
  EXPECT_EQ(miss->pmu, "cpu");
  EXPECT_TRUE(miss->is_core);
  ASSERT_TRUE(miss->code);
  EXPECT_EQ(machine->exact_name("cpu", *miss->code), "mem_load_retired.l3_miss");
}

}  // namespace
}  // namespace evname
