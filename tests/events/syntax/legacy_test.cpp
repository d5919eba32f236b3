#include "events/syntax/kernel_names.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/letters.hpp"
#include "events/syntax/modifiers.hpp"

namespace evname::syntax {
namespace {

std::string upper(std::string_view word) {
  std::string out(word);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

struct WordCase {
  const char* word;
  std::uint64_t config;
};

// PERF_COUNT_HW_* of linux/perf_event.h; the words of perf's common/legacy-hardware.json.
constexpr WordCase kHardware[] = {{"cycles", 0},
                                  {"cpu-cycles", 0},
                                  {"instructions", 1},
                                  {"cache-references", 2},
                                  {"cache-misses", 3},
                                  {"branches", 4},
                                  {"branch-instructions", 4},
                                  {"branch-misses", 5},
                                  {"bus-cycles", 6},
                                  {"stalled-cycles-frontend", 7},
                                  {"idle-cycles-frontend", 7},
                                  {"stalled-cycles-backend", 8},
                                  {"idle-cycles-backend", 8},
                                  {"ref-cycles", 9}};

// PERF_COUNT_SW_*; common/software.json.
constexpr WordCase kSoftware[] = {
    {"cpu-clock", 0},      {"task-clock", 1},       {"page-faults", 2},
    {"faults", 2},         {"context-switches", 3}, {"cs", 3},
    {"cpu-migrations", 4}, {"migrations", 4},       {"minor-faults", 5},
    {"major-faults", 6},   {"alignment-faults", 7}, {"emulation-faults", 8},
    {"dummy", 9},          {"bpf-output", 10},      {"cgroup-switches", 11}};

// enum tool_pmu_event of perf's util/tool_pmu.h; common/tool.json.
constexpr WordCase kTool[] = {{"duration_time", 1},   {"user_time", 2},  {"system_time", 3},
                              {"has_pmem", 4},        {"num_cores", 5},  {"num_cpus", 6},
                              {"num_cpus_online", 7}, {"num_dies", 8},   {"num_packages", 9},
                              {"slots", 10},          {"smt_on", 11},    {"system_tsc_freq", 12},
                              {"core_wide", 13},      {"target_cpu", 14}};

TEST(LegacyNames, EveryWordHasItsNumberInAnyCase) {
  using Find = std::optional<std::uint64_t>(std::string_view);
  const struct {
    std::span<const WordCase> words;
    Find* find;
    std::uint32_t type;
  } lists[] = {{kHardware, hardware_config, kTypeHardware},
               {kSoftware, software_config, kTypeSoftware},
               {kTool, tool_config, UINT32_MAX}};
  for (const auto& list : lists)
    for (const auto& [word, config] : list.words) {
      EXPECT_EQ(list.find(word), config) << word;
      EXPECT_EQ(list.find(upper(word)), config) << word;
      EXPECT_TRUE(is_kernel_name(word, name_hash(word))) << word;
      EXPECT_EQ(std::ranges::count(legacy_names(list.type, config), word),
                list.type == UINT32_MAX ? 0 : 1)
          << word;
      for (const auto& other : lists)
        if (other.find != list.find) {
          EXPECT_EQ(other.find(word), std::nullopt) << word;
        }
    }
  EXPECT_FALSE(is_kernel_name("cycle", name_hash("cycle")));
  EXPECT_FALSE(is_kernel_name("cpu-cycle", name_hash("cpu-cycle")));
}

// The rows of evsel__hw_cache, evsel__hw_cache_op and evsel__hw_cache_result of util/evsel.c.
TEST(LegacyNames, EverySpellingOfACacheEventHasItsNumber) {
  using Row = std::vector<std::string>;
  const Row types[] = {{"L1-dcache", "l1-d", "l1d", "L1-data"},
                       {"L1-icache", "l1-i", "l1i", "L1-instruction"},
                       {"LLC", "L2"},
                       {"dTLB", "d-tlb", "Data-TLB"},
                       {"iTLB", "i-tlb", "Instruction-TLB"},
                       {"branch", "branches", "bpu", "btb", "bpc"},
                       {"node"}};
  const Row ops[] = {{"load", "loads", "read"},
                     {"store", "stores", "write"},
                     {"prefetch", "prefetches", "speculative-read", "speculative-load"}};
  const Row results[] = {{"refs", "Reference", "ops", "access"}, {"misses", "miss"}};
  const std::vector<std::size_t> valid[] = {{0, 1, 2}, {0, 2}, {0, 1, 2}, {0, 1, 2},
                                            {0},       {0},    {0, 1, 2}};
  std::size_t spellings = 0;
  const auto expect = [&](const std::string& word, std::uint64_t config) {
    EXPECT_EQ(cache_config(word), config) << word;
    ++spellings;
  };
  for (std::uint64_t type = 0; type < std::size(types); ++type)
    for (const std::string& name : types[type]) {
      expect(name, type);
      for (const std::uint64_t result : {0, 1})
        for (const std::string& end : results[result])
          expect(name + "-" + end, type | result << 16);
      for (const std::uint64_t op : valid[type])
        for (const std::string& verb : ops[op]) {
          expect(name + "-" + verb, type | op << 8);
          for (const std::uint64_t result : {0, 1})
            for (const std::string& end : results[result])
              expect(name + "-" + verb + "-" + end, type | op << 8 | result << 16);
        }
    }
  EXPECT_EQ(spellings, 1216u + 2);  // make_legacy_cache.py leaves out branches and branch-misses
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
      {kTypeHwCache, 0x201, "L1-icache-prefetches"},
      {kTypeHwCache, 0x102, "LLC-stores"},
      {kTypeHwCache, 0x10102, "LLC-store-misses"},
      {kTypeHwCache, 0x203, "dTLB-prefetches"},
      {kTypeHwCache, 0x10203, "dTLB-prefetch-misses"},
      {kTypeHwCache, 4, "iTLB-loads"},
      {kTypeHwCache, 0x10005, "branch-load-misses"},
      {kTypeHwCache, 0x106, "node-stores"},
  };
  for (const auto& c : cases) {
    const auto names = legacy_names(c.type, c.config);
    ASSERT_FALSE(names.empty()) << c.name;
    EXPECT_EQ(names.front(), c.name);
  }
  EXPECT_TRUE(legacy_names(kTypeHardware, 10).empty());
  EXPECT_TRUE(legacy_names(kTypeSoftware, 12).empty());
  EXPECT_TRUE(legacy_names(kTypeRaw, 0).empty());
  for (const std::uint64_t config : {0x7u, 0x300u, 0x20000u, 0x101u, 0x204u, 0x105u, 0x1000000u})
    EXPECT_TRUE(legacy_names(kTypeHwCache, config).empty()) << config;
}

TEST(LegacyNames, EveryNamedCodeResolvesToItself) {
  for (std::uint64_t config = 0; config < 0x20300; ++config)
    for (const std::string& name : legacy_names(kTypeHwCache, config))
      EXPECT_EQ(cache_config(name), config) << name;
}

// PERF_TYPE_* of linux/perf_event.h.
TEST(LegacyNames, TypesHaveTheNamesOfTheirPmus) {
  const char* const names[] = {"hardware",   "software", "tracepoint", "hw_cache", "raw",
                               "breakpoint", ""};
  for (std::uint32_t type = 0; type < std::size(names); ++type)
    EXPECT_EQ(generic_type_name(type), names[type]);
  EXPECT_EQ(legacy_term(kTypeHardware), "legacy-hardware-config");
  EXPECT_EQ(legacy_term(kTypeHwCache), "legacy-cache-config");
  EXPECT_EQ(legacy_code("L1-icache-load-misses")->type, kTypeHwCache);
  EXPECT_EQ(legacy_code("L1-icache-load-misses")->config, 0x10001u);
  EXPECT_EQ(legacy_code("branch-misses")->type, kTypeHardware);
  EXPECT_EQ(legacy_code("cs"), std::nullopt);
}

// perf-facts 5.8.
TEST(Modifiers, EachLetterIsAllowedOnceAndPThreeTimes) {
  for (const char* text : {"u", "ukhpppPGHSDIebRX", "ppp"}) {
    EXPECT_EQ(modifier_problem(text, false), "") << text;
    EXPECT_TRUE(are_modifiers(text, false)) << text;
  }
  const std::string_view letters = "ukhPGHSDIWebRX";
  for (const char letter : letters) {
    const std::string twice(2, letter);
    EXPECT_EQ(modifier_problem(twice, true),
              "modifier '" + twice.substr(1) + "' is given too often");
    EXPECT_FALSE(are_modifiers(twice, true)) << twice;
    EXPECT_TRUE(are_modifiers(twice.substr(1), true)) << twice;
  }
  for (const auto& [text, problem] :
       {std::pair("pppp", "modifier 'p' is given too often"),
        {"ux", "'x' is not a modifier; the modifiers are ukhpPGHSDIWebRX"},
        {"W", "modifier 'W' is for groups only"}}) {
    EXPECT_EQ(modifier_problem(text, false), problem);
    EXPECT_FALSE(are_modifiers(text, false)) << text;
  }
  EXPECT_EQ(modifier_problem("W", true), "");
}

// modifier_event of util/parse-events.l: 1 to 17 of these letters.
TEST(Modifiers, MoreThan17LettersAreAName) {
  EXPECT_TRUE(looks_like_modifiers("uuuuuuuuuuuuuuuuu"));
  EXPECT_FALSE(looks_like_modifiers("uuuuuuuuuuuuuuuuuu"));
  EXPECT_FALSE(looks_like_modifiers("ux"));
  EXPECT_FALSE(looks_like_modifiers(""));
}

TEST(Modifiers, FollowASlashWithoutAColon) {
  EXPECT_EQ(with_modifiers("cycles", "u"), "cycles:u");
  EXPECT_EQ(with_modifiers("cpu/event=1/", "u"), "cpu/event=1/u");
  EXPECT_EQ(with_modifiers("cycles", ""), "cycles");
}

TEST(Modifiers, AGroupAddsWhatIsNotThere) {
  EXPECT_EQ(join_modifiers("u", "uk"), "uk");
  EXPECT_EQ(join_modifiers("p", "pp"), "ppp");
  EXPECT_EQ(join_modifiers("pp", "pp"), "ppp");
  EXPECT_FALSE(too_precise("p", "pp"));
  EXPECT_TRUE(too_precise("pp", "pp"));
}

}  // namespace
}  // namespace evname::syntax
