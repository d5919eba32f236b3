#include "events/syntax/kernel_names.hpp"

#include <gtest/gtest.h>

#include "events/syntax/modifiers.hpp"

namespace evname::syntax {
namespace {

// perf-facts 5.4 and A.1.
TEST(LegacyNames, HardwareAndSoftwareWordsHaveTheNumbersOfTheAbi) {
  EXPECT_EQ(hardware_config("cpu-cycles"), 0u);
  EXPECT_EQ(hardware_config("branch-instructions"), 4u);
  EXPECT_EQ(hardware_config("idle-cycles-backend"), 8u);
  EXPECT_EQ(hardware_config("ref-cycles"), 9u);
  EXPECT_EQ(hardware_config("Cycles"), 0u);
  EXPECT_EQ(software_config("Page-Faults"), 2u);
  EXPECT_EQ(tool_config("duration_time"), 1u);
  EXPECT_EQ(tool_config("target_cpu"), 14u);
  EXPECT_EQ(software_config("faults"), 2u);
  EXPECT_EQ(software_config("cs"), 3u);
  EXPECT_EQ(software_config("cgroup-switches"), 11u);
}

TEST(LegacyNames, CacheWordsCombineTypeOperationAndResult) {
  const struct {
    const char* word;
    std::uint64_t config;
  } cases[] = {
      {"L1-dcache", 0},
      {"L1-dcache-load-misses", 0x10000},
      {"l1d-read-miss", 0x10000},
      {"LLC-misses", 0x10002},
      {"L1-DCACHE-loads", 0},
      {"dtlb", 3},
      {"dTLB-store-misses", 0x10103},
      {"branch-load-misses", 0x10005},
      {"node-prefetches", 0x206},
      {"dTLB-speculative-read", 0x203},
      {"L2-Reference", 2},
  };
  for (const auto& c : cases) {
    const auto word = cache_config(c.word);
    ASSERT_TRUE(word) << c.word;
    EXPECT_EQ(*word, c.config) << c.word;
  }
  for (const char* word :
       {"LLC-", "LLC-load-load", "LLC-foo", "LLC-misses-misses", "LLC-refs-load", "x"})
    EXPECT_FALSE(cache_config(word)) << word;
}

TEST(LegacyNames, OperationsNoCacheHasAreInvalid) {
  for (const char* word :
       {"L1-icache-stores", "iTLB-prefetches", "iTLB-speculative-read", "branch-store-misses"})
    EXPECT_FALSE(cache_config(word)) << word;
  for (const char* word : {"L1-icache-prefetches", "iTLB-loads", "node-stores"})
    EXPECT_TRUE(cache_config(word)) << word;
}

// perf-facts 9.2.
TEST(LegacyNames, CodesHaveTheNamesPerfPrints) {
  const struct {
    std::uint32_t type;
    std::uint64_t config;
    const char* name;
  } cases[] = {
      {kTypeHardware, 0, "cycles"},
      {kTypeHardware, 4, "branches"},
      {kTypeHardware, 7, "stalled-cycles-frontend"},
      {kTypeSoftware, 3, "context-switches"},
      {kTypeSoftware, 9, "dummy"},
      {kTypeHwCache, 0, "L1-dcache-loads"},
      {kTypeHwCache, 0x10000, "L1-dcache-load-misses"},
      {kTypeHwCache, 0x102, "LLC-stores"},
      {kTypeHwCache, 0x203, "dTLB-prefetches"},
      {kTypeHwCache, 0x10005, "branch-load-misses"},
  };
  for (const auto& c : cases) {
    const auto names = legacy_names(c.type, c.config);
    ASSERT_FALSE(names.empty()) << c.name;
    EXPECT_EQ(names.front(), c.name);
  }
  EXPECT_TRUE(legacy_names(kTypeHardware, 10).empty());
  EXPECT_TRUE(legacy_names(kTypeSoftware, 12).empty());
  for (const std::uint64_t config : {0x7u, 0x300u, 0x20000u, 0x101u, 0x1000000u})
    EXPECT_TRUE(legacy_names(kTypeHwCache, config).empty()) << config;
}

TEST(LegacyNames, EveryNamedCodeResolvesToItself) {
  for (std::uint64_t config = 0; config < 0x20300; ++config)
    for (const std::string& name : legacy_names(kTypeHwCache, config))
      EXPECT_EQ(cache_config(name), config) << name;
}

// perf-facts 5.8.
TEST(Modifiers, EachLetterIsAllowedOnceAndPThreeTimes) {
  for (const char* text : {"u", "ukhpppPGHSDIebRX", "ppp"})
    EXPECT_EQ(modifier_problem(text, false), "") << text;
  for (const char* text : {"uu", "pppp", "x", "W", "u "})
    EXPECT_NE(modifier_problem(text, false), "") << text;
  EXPECT_EQ(modifier_problem("W", true), "");
}

TEST(Modifiers, AGroupAddsWhatIsNotThere) {
  EXPECT_EQ(join_modifiers("u", "uk"), "uk");
  EXPECT_EQ(join_modifiers("p", "pp"), "ppp");
  EXPECT_EQ(join_modifiers("pp", "pp"), "ppp");
}

}  // namespace
}  // namespace evname::syntax
