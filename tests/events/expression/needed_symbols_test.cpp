#include "events/expression/evaluate.hpp"

#include "named_values.hpp"

namespace evname::expression::test {
namespace {

Result<std::vector<bool>> needed(const Program& program, const Named& facts) {
  return needed_symbols(program, values_of(program, facts));
}

/// "a b": the events that have to be counted.
std::string needed_text(std::string_view text, const Named& facts = {}) {
  const Program program = parsed(text);
  const auto symbols = needed(program, facts);
  if (!symbols) return symbols.error().text();
  std::string out;
  for (std::size_t i = 0; i < symbols->size(); ++i)
    if ((*symbols)[i]) out += (out.empty() ? "" : " ") + program.symbols[i].name;
  return out;
}

// The first two blocks are from linux 6.12, tools/perf/tests/expr.c; the last follows the rules of
// util/expr.y.
TEST(Needed, WhatFactsAndConstantsDecideIsNotCounted) {
  const struct {
    const char* text;
    const char* events;
  } cases[] = {
      {"FOO + BAR + BAZ + BOZO", "FOO BAR BAZ BOZO"},
      {"dash\\-event1 - dash\\-event2", "dash-event1 dash-event2"},
      {"source_count(EVENT1)", "EVENT1"},
      {"1.0 if EVENT1 > 100.0 else 1.0", ""},
      {"0 & EVENT1 > 0", ""},
      {"EVENT1 > 0 & 0", ""},
      {"1 & EVENT1 > 0", "EVENT1"},
      {"EVENT1 > 0 & 1", "EVENT1"},
      {"1 | EVENT1 > 0", ""},
      {"EVENT1 > 0 | 1", ""},
      {"0 | EVENT1 > 0", "EVENT1"},
      {"EVENT1 > 0 | 0", "EVENT1"},

      {"EVENT1 if #smt_on else EVENT2", "EVENT1"},
      {"EVENT1 if #core_wide else EVENT2", "EVENT2"},

      {"a if c else b", "a c b"},
      {"a if has_event(x) else b", "a"},
      {"a if has_event(y) else b", "b"},
      {"a if strcmp_cpuid_str(0x41) & 1 else b", "b"},
      {"a if 2 - 2 else b", "b"},
      {"a if -(1 - 1) else b", "b"},
      {"a / 0", ""},
      {"a / (1 - 1) + b", "b"},
      {"d_ratio(a, 0) + b", "b"},
      {"a * d_ratio(b, 0)", "a"},
      {"0 * a", "a"},
      {"a if min(0, 1) else b", "a b"},
      {"a if NaN else b", "a b"},
      {"a ^ 1", "a"},
      {"a % 2", "a"},
      {"1 + 1", ""},

      {"a | b", "a b"},
      {"a & b", "a b"},
      {"a ^ b", "a b"},
      {"a if 1 | 0 else b", "a"},
      {"a if 0 | 0 else b", "b"},
      {"a if 0 | 2 else b", "a"},
      {"a if 2 & 3 else b", "a"},
      {"a if 2 & 0 else b", "b"},
      {"a if c | 1 else b", "a"},
      {"a if c | 0 else b", "a c b"},
      {"a if 2 | c else b", "a"},
      {"a if c & 0 else b", "b"},
      {"a if 0 & c else b", "b"},
      {"a if c & 1 else b", "a c b"},
      {"a if 1 & c else b", "a c b"},
      {"a if d | c else b", "a d c b"},
      {"a if 1 / 0 else b", "a b"},
      {"a if c / 0 else b", "a b"},
      {"a if d_ratio(c, 0) else b", "b"},
      {"a if max(1, 1) else b", "a b"},
      {"2 if c else 2", ""},
      {"2 if c else 3", "c"},
      {"(2 if c else 2) * a", "a"},
      {"a if (2 if c else 2) else b", "a"},
      {"a if (0 if c else 0) else b", "b"},
      {"a if (1 if 1 else c) else b", "a"},
      {"a if (c if 0 else 0) else b", "b"},
      {"a if -c else b", "a c b"},
      {"a if -1 else b", "a"},
      {"a if 1 > 2 else b", "b"},
      {"a if 7 % 4 else b", "a"},
      {"a if 8 % 4 else b", "b"},
      {"a - (b - (c - d)) - e", "a b c d e"},
      {"(a if x1 else b) + (c if 0 else d) + (e if 1 else f)", "a x1 b d e"},
      {"min(a, b) + max(c, 1 & d)", "a b c d"},
      {"d_ratio(a, b)", "a b"},
      {"a % b", "a b"},
  };
  const Named facts = {{"#smt_on", 1}, {"#core_wide", 0}, {"x", 1}, {"y", 0}, {"0x41", 0}};
  for (const auto& c : cases) EXPECT_EQ(needed_text(c.text, facts), c.events) << c.text;
}

TEST(Needed, AMetricWithoutAValueHereIsAnError) {
  EXPECT_EQ(needed_text("a * #slots"), "'#slots' has no value on this machine");
  EXPECT_EQ(needed_text("a % 0"), "the expression takes a remainder by zero");
}

}  // namespace
}  // namespace evname::expression::test
