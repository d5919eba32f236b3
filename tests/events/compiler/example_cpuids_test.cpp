#include <gtest/gtest.h>

#include <set>

#include "events/compiler/example_cpuids.hpp"
#include "events/cpu/find_model.hpp"
#include "events/cpu/mapfile_pattern.hpp"
#include "support/event_tables.hpp"

namespace evname::compiler {
namespace {

struct Row {
  const char *pattern, *model;
};

/// Each row's model gets a sample that exactly this row is the first to match.
void check_rows(const char* arch, const std::vector<Row>& rows) {
  test::EventTables builder(arch);
  for (const Row& row : rows) builder.mapped(row.pattern, row.model);
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    const std::string sample = example_cpuid(builder.view(i));
    const auto match = cpu::match_model(builder.build(), sample, "");
    ASSERT_FALSE(sample.empty()) << rows[i].pattern;
    ASSERT_TRUE(match.model) << sample;
    EXPECT_EQ(match.model.name(), rows[i].model) << sample;
    EXPECT_TRUE(cpu::pattern_matches(arch, rows[i].pattern, sample)) << sample;
  }
}

// Patterns of the mapfiles of Linux 6.12.
TEST(ExampleCpuid, EveryKindOfMapfilePatternHasOne) {
  check_rows("x86", {{"GenuineIntel-6-(97|9A|B7|BA|BF)", "alderlake"},
                     {"GenuineIntel-6-9[6C]", "elkhartlake"},
                     {"GenuineIntel-6-55-[56789ABCDEF]", "cascadelakex"},
                     {"GenuineIntel-6-8F", "sapphirerapids"},
                     {"AuthenticAMD-23-([12][0-9A-F]|[0-9A-F])", "amdzen1"},
                     {"AuthenticAMD-23-[[:xdigit:]]+", "amdzen2"},
                     {"AuthenticAMD-25-([245][[:xdigit:]]|[[:xdigit:]])", "amdzen3"},
                     {"AuthenticAMD-25-[[:xdigit:]]+", "amdzen4"}});
  check_rows("powerpc", {{"0x004[bcd][[:xdigit:]]{4}", "power8"},
                         {"0x0066[[:xdigit:]]{4}", "power8nvl"},
                         {"0x0080[[:xdigit:]]{4}", "power10"}});
  check_rows("s390", {{"^IBM.209[78].*[13]\\.[1-5].[[:xdigit:]]+$", "cf_z10"},
                      {"^IBM.856[12].*3\\.6.[[:xdigit:]]+$", "cf_z15"},
                      {"^IBM.393[12].*$", "cf_z16"}});
  check_rows("riscv", {{"0x489-0x8000000000000007-0x[[:xdigit:]]+", "sifive/bullet"},
                       {"0x67e-0x80000000db0000[89]0-0x[[:xdigit:]]+", "starfive/dubhe-80"}});
  check_rows("arm64", {{"0x00000000410fd0c0", "arm/neoverse-n1"}});
}

TEST(ExampleCpuid, LooksLikeARealCpu) {
  test::EventTables builder("x86");
  builder.mapped("GenuineIntel-6-55-[01234]", "skylakex");
  builder.mapped("GenuineIntel-6-8F", "sapphirerapids");
  EXPECT_EQ(example_cpuid(builder.view(0)), "GenuineIntel-6-55-0");
  EXPECT_EQ(example_cpuid(builder.view(1)), "GenuineIntel-6-8F-0");
}

TEST(ExampleCpuids, AreOneForEachChoice) {
  const auto cpuids = example_cpuids("x86", "GenuineIntel-6-(97|9A)", 100);
  EXPECT_EQ(std::set(cpuids.begin(), cpuids.end()),
            (std::set<std::string>{"GenuineIntel-6-97-0", "GenuineIntel-6-9A-0"}));
  EXPECT_EQ(example_cpuids("x86", "GenuineIntel-6-(97|9A)", 1).size(), 1u);
  EXPECT_TRUE(example_cpuids("x86", "GenuineIntel-6-(97|9A)", 0).empty());
  EXPECT_EQ(example_cpuids("arm64", "0x00000000410fd0c0", 9).size(), 1u);
}

// POSIX extended expressions: regex(7).
TEST(ExampleCpuids, AreExactlyWhatThePatternMatches) {
  using Set = std::set<std::string>;
  const std::pair<const char*, Set> cases[] = {{"0x0[0-2]", {"0x00", "0x01", "0x02"}},
                                               {"a[x-zB]", {"ax", "ay", "az", "aB"}},
                                               {"a|b|c", {"a", "b", "c"}},
                                               {"x(a|bc|d)e", {"xae", "xbce", "xde"}},
                                               {"[ab][cd]", {"ac", "ad", "bc", "bd"}},
                                               {"a\\.[12]", {"a.1", "a.2"}},
                                               {"^ab$", {"ab"}},
                                               {"a{2}", {"aa"}},
                                               {"a{2", {}},
                                               {"a(b", {}},
                                               {"a[b", {}}};
  for (const auto& [pattern, cpuids] : cases)
    for (const char* arch : {"powerpc", "x86"}) {
      const auto found = example_cpuids(arch, pattern, 100);
      EXPECT_EQ(Set(found.begin(), found.end()), cpuids) << pattern;
      EXPECT_EQ(found.size(), cpuids.size()) << pattern;
    }
  EXPECT_EQ(example_cpuids("x86", "A-6-1", 9), std::vector<std::string>{"A-6-1-0"});
  EXPECT_EQ(example_cpuids("x86", "A-6-1-2", 9), std::vector<std::string>{"A-6-1-2"});
}

TEST(ExampleCpuid, AModelThatEarlierRowsTakeEntirelyHasNone) {
  test::EventTables builder("powerpc");
  builder.mapped(".*", "all");
  builder.mapped("0x004e[[:xdigit:]]{4}", "power9");
  builder.add_model("unmapped");
  EXPECT_EQ(example_cpuid(builder.view(1)), "");
  EXPECT_EQ(example_cpuid(builder.view(2)), "");
  EXPECT_EQ(example_cpuid({}), "");
}

TEST(ExampleCpuid, OddPatternsNeitherCrashNorHang) {
  for (const char* pattern :
       {"(", "[", "\\", "a{", "a{999999}", "((((((((((a{64}){64}){64}){64}){64}){64}){64}){64})))",
        "((((((){64}){64}){64}){64}){64}){64}", "[[:alpha:]]+", "[^a]", "", "|", "*", "[z-a]"}) {
    test::EventTables builder("powerpc");
    builder.mapped("never", "first");
    builder.mapped(pattern, "odd");
    const std::string sample = example_cpuid(builder.view(1));
    if (!sample.empty()) {
      EXPECT_TRUE(cpu::pattern_matches("powerpc", pattern, sample)) << pattern;
    }
  }
}

}  // namespace
}  // namespace evname::compiler
