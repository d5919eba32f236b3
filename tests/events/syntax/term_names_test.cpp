// perf's own terms, row by row: config_term_common, config_term_pmu and config_term_tracepoint of
// perf 7.3's util/parse-events.c. Also, the words of `branch_type`.

#include "events/syntax/term_names.hpp"

#include <gtest/gtest.h>

#include <set>

#include "evname/attr.hpp"

namespace evname::syntax {
namespace {

using Takes = PerfTerm::Takes;
using Effect = PerfTerm::Effect;

constexpr std::uint64_t kAny = UINT64_MAX;

struct TermCase {
  const char* name;
  Takes takes = Takes::number;
  std::uint64_t most = kAny;
  bool of_tracepoints = false;
};

// CHECK_TYPE_VAL(NUM or STR), "expected 0 or 1", "too big"; config_term_tracepoint's list.
constexpr TermCase kTerms[] = {
    {"config"},
    {"config1"},
    {"config2"},
    {"config3"},
    {"config4"},
    {"period"},
    {"freq"},
    {"branch_type", Takes::text},
    {"time", Takes::number, 1},
    {"call-graph", Takes::text, kAny, true},
    {"stack-size", Takes::number, kAny, true},
    {"inherit", Takes::number, kAny, true},
    {"no-inherit", Takes::number, kAny, true},
    {"overwrite", Takes::number, kAny, true},
    {"no-overwrite", Takes::number, kAny, true},
    {"name", Takes::text},
    {"metric-id", Takes::text},
    {"max-stack", Takes::number, kAny, true},
    {"nr", Takes::number, kAny, true},
    {"percore", Takes::number, 1},
    {"aux-output", Takes::number, kAny, true},
    {"aux-action", Takes::text, kAny, true},
    {"aux-sample-size", Takes::number, UINT32_MAX, true},
    {"cpu", Takes::any},
    {"ratio-to-prev", Takes::text},
    {"legacy-hardware-config", Takes::number, 9},
    {"legacy-cache-config", Takes::number, 0x10206},
    {"@cfg", Takes::any},
};

/// Texts that are right for every term that takes a text.
std::string problem_of_text(const PerfTerm& term) {
  const std::string_view text = term.name == "branch_type" ? "any" : "2.0";
  return value_problem(term, 0, &text);
}

TEST(TermNames, EachTermTakesTheValuesThatPerfTakes) {
  for (const TermCase& c : kTerms) {
    SCOPED_TRACE(c.name);
    const PerfTerm* const term = find_perf_term(c.name);
    ASSERT_NE(term, nullptr);
    EXPECT_EQ(term->of_tracepoints, c.of_tracepoints);
    EXPECT_EQ(problem_of_text(*term).empty(), c.takes != Takes::number);
    EXPECT_EQ(value_problem(*term, 1, nullptr).empty(), c.takes != Takes::text);
    if (c.takes == Takes::text) continue;
    EXPECT_EQ(value_problem(*term, c.most, nullptr), "");
    if (c.most != kAny) {
      EXPECT_NE(value_problem(*term, c.most + 1, nullptr), "");
    }
  }
}

// Each term's attr field: config to config4, sample_period, type and config; all others only set
// how perf records.
TEST(TermNames, FewTermsChangeTheCode) {
  const struct {
    const char* name;
    Effect effect;
    std::uint32_t word;
  } cases[] = {{"config", Effect::config, 0},
               {"config1", Effect::config, 1},
               {"config2", Effect::config, 2},
               {"config3", Effect::config, 3},
               {"config4", Effect::config, 4},
               {"period", Effect::period, 0},
               {"legacy-hardware-config", Effect::legacy, kTypeHardware},
               {"legacy-cache-config", Effect::legacy, kTypeHwCache}};
  std::set<std::string_view> known;
  for (const auto& c : cases) {
    EXPECT_EQ(find_perf_term(c.name)->effect, c.effect) << c.name;
    EXPECT_EQ(find_perf_term(c.name)->word, c.word) << c.name;
    EXPECT_EQ(is_sampling_term(c.name), c.effect != Effect::config) << c.name;
    known.insert(c.name);
  }
  for (const TermCase& c : kTerms)
    if (!known.contains(c.name)) {
      EXPECT_EQ(find_perf_term(c.name)->effect, Effect::none) << c.name;
    }
}

// These two texts are in config_term_names alone: no rule of parse-events.l reads them.
TEST(TermNames, SomeAreOnlyInRecordedNames) {
  for (const char* name : {"max-events", "driver-config"}) {
    EXPECT_EQ(find_perf_term(name), nullptr) << name;
    EXPECT_TRUE(is_sampling_term(name)) << name;
  }
  for (const char* name : {"event", "Config", "config5", ""}) {
    EXPECT_EQ(find_perf_term(name), nullptr) << name;
    EXPECT_FALSE(is_sampling_term(name)) << name;
  }
}

// Type, operation and result have a byte each: of 7, 3 and 2 values.
TEST(TermNames, EachByteOfACacheCodeHasItsBound) {
  const PerfTerm& term = *find_perf_term("legacy-cache-config");
  for (const std::uint64_t code : {0x0, 0x6, 0x200, 0x10000, 0x10006, 0x206})
    EXPECT_EQ(value_problem(term, code, nullptr), "") << code;
  for (const std::uint64_t code : {0x7, 0x300, 0x107, 0xff, 0x306, 0x20000, 0x1000000})
    EXPECT_NE(value_problem(term, code, nullptr), "") << code;
}

TEST(TermNames, AProblemNamesTheTermAndTheValue) {
  const struct {
    const char* term;
    std::uint64_t number;
    const char* text;
    const char* problem;
  } cases[] = {
      {"name", 3, nullptr, "term 'name' needs a text"},
      {"percore", 16, nullptr, "value 0x10 is too big for term 'percore': at most 0x1"},
      {"period", 0, "many", "expected a number for term 'period', not 'many'"},
      {"branch_type", 0, "no", ""},
      {"branch_type", 0, "any_call,U", ""},
      {"branch_type", 0, "u,all",
       "'all' is not a branch type; expected no, or of u, k, hv, any, any_call, any_ret, "
       "ind_call, abort_tx, in_tx, no_tx, cond, stack, ind_jmp, call, no_flags, no_cycles, "
       "save_type, hw_index, priv, counter"},
      {"ratio-to-prev", 0, "0.5x", ""},
      {"ratio-to-prev", 0, "0.0",
       "'0.0' is not a ratio; expected a positive number with a point, such as 2.0"},
      {"ratio-to-prev", 0, "x",
       "'x' is not a ratio; expected a positive number with a point, such as 2.0"},
  };
  for (const auto& c : cases) {
    const std::string_view text = c.text == nullptr ? "" : c.text;
    EXPECT_EQ(value_problem(*find_perf_term(c.term), c.number, c.text == nullptr ? nullptr : &text),
              c.problem);
  }
}

// PERF_SAMPLE_BRANCH_* of linux/perf_event.h; the words of util/parse-branch-options.c.
TEST(TermNames, BranchTypesHaveTheBitsOfTheKernel) {
  const std::pair<const char*, int> bits[] = {
      {"u", 0},          {"k", 1},          {"hv", 2},        {"any", 3},   {"any_call", 4},
      {"any_ret", 5},    {"ind_call", 6},   {"abort_tx", 7},  {"in_tx", 8}, {"no_tx", 9},
      {"cond", 10},      {"stack", 11},     {"ind_jmp", 12},  {"call", 13}, {"no_flags", 14},
      {"no_cycles", 15}, {"save_type", 16}, {"hw_index", 17}, {"priv", 18}, {"counter", 19}};
  for (const auto& [word, bit] : bits) EXPECT_EQ(branch_bit(word), std::uint64_t{1} << bit) << word;
  EXPECT_EQ(branch_bit("ANY_Call"), 16u);
  EXPECT_EQ(branch_bit("no"), std::nullopt);
  EXPECT_EQ(branch_bit(""), std::nullopt);
}

}  // namespace
}  // namespace evname::syntax
