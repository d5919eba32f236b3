#include "events/expression/evaluate.hpp"

#include "named_values.hpp"

namespace evname::expression::test {
namespace {

struct SimplifyCase {
  const char* text;
  const char* simple;
};

void expect_simple(std::span<const SimplifyCase> cases) {
  for (const auto& [text, simple] : cases) {
    EXPECT_EQ(simplified_text(parsed(text)), simple) << text;
    EXPECT_EQ(simplified_text(parsed(simple)), simple) << "once more";
  }
}

// Expressions and results of metric.py's own test: linux 6.12,
// tools/perf/pmu-events/metric_test.py.
TEST(Simplify, MetricPysOwnTestExpressionsHaveItsResults) {
  const SimplifyCase cases[] = {
      {"a | b", "a | b"},
      {"a + 1", "a + 1"},
      {"((a * b) + c)", "a * b + c"},
      {"(a + (b * c))", "a + b * c"},
      {"((a + a) + a)", "a + a + a"},
      {"((a + b) * c)", "(a + b) * c"},
      {"((a / b) * c)", "a / b * c"},
      {"(a / (b * c))", "a / (b * c)"},
      {"(a + b + c + d) / (2 * e)", "(a + b + c + d) / (2 * e)"},
      {"topdown\\-fe\\-bound / topdown\\-slots - 1", "topdown\\-fe\\-bound / topdown\\-slots - 1"},
      {"arb@event\\=0x81\\,umask\\=0x1@ + arb@event\\=0x84\\,umask\\=0x1@",
       "arb@event\\=0x81\\,umask\\=0x1@ + arb@event\\=0x84\\,umask\\=0x1@"},
      {"a + 1e12 + b", "a + 1e12 + b"},
      {"Event1 if #smt_on else Event2", "(Event1 if #smt_on else Event2)"},
      {"a if b else c if d else e", "(a if b else (c if d else e))"},
      {"min((a + b if c > 1 else c + d), e + f)", "min((a + b if c > 1 else c + d), e + f)"},
      {"1 + 2 + 3", "6"},
      {"a + 0", "a"},
      {"0 + a", "a"},
      {"a | 0", "a"},
      {"0 | a", "a"},
      {"a * 0", "0"},
      {"0 * a", "0"},
      {"a * 1", "a"},
      {"1 * a", "a"},
      {"a if 0 else b", "b"},
      {"a if 1 else b", "a"},
      {"a if b else a", "a"},
      {"0 * SLOTS", "0 * SLOTS"},
  };
  expect_simple(cases);
}

// What metric.py has no rule for, or fails at: the text must still mean the same.
TEST(Simplify, EverythingElseKeepsItsMeaning) {
  const SimplifyCase cases[] = {
      {"#SMT_on * a", "#SMT_on * a"},
      {"-a", "-a"},
      {"-(a + b) * -(-c)", "-(a + b) * --c"},
      {"-(-(2))", "2"},
      {"a - (b - c)", "a - (b - c)"},
      {"a - -4", "a - -4"},
      {"(a | b) & c ^ d", "(a | b) & c ^ d"},
      {"(a if b else c) * 2", "(a if b else c) * 2"},
      {"d_ratio(a, b) + d_ratio(6, 0) + d_ratio(6, 3)", "d_ratio(a, b) + 2"},
      {"min(2, 3) * max(1, a)", "2 * max(1, a)"},
      {"1 / 0", "1 / 0"},
      {"1 % 0", "1 % 0"},
      {"7 % 4", "3"},
      {"NaN + 1", "NaN + 1"},
      {"source_count(a\\-b) & has_event(x:k) & strcmp_cpuid_str(0x41)",
       "source_count(a\\-b) & has_event(x:k) & strcmp_cpuid_str(0x41)"},
      {"a if 3 > 2 else b", "a"},
      {"a * (b * c)", "a * (b * c)"},
      {"a * b * c", "a * b * c"},
      {"a | (b ^ c)", "a | b ^ c"},
      {"a & (b < c)", "a & b < c"},
      {"(a < b) < c", "a < b < c"},
      {"a < (b < c)", "a < (b < c)"},
      {"a + (b + c)", "a + (b + c)"},
      {"-(a * b)", "-(a * b)"},
      {"-a * b", "-a * b"},
      {"2 - 2 + a", "a"},
      {"3 * 0 * a", "0"},
      {"a - 0", "a - 0"},
      {"a / 1", "a / 1"},
      {"a & 0", "a & 0"},
      {"SLOTS * 0", "0"},
      {"1 | 0", "1"},
      {"min(a, 0) + 0", "min(a, 0)"},
      {"a if a else b", "(a if a else b)"},
      {"2 if NaN else 3", "(2 if NaN else 3)"},
      {"#num_cpus + a\\,b", "#num_cpus + a\\,b"},
  };
  expect_simple(cases);
}

// Python: Decimal(repr(value)).normalize().to_eng_string(), less "+", with "e" for "E".
TEST(Simplify, ConstantsAreWrittenAsMetricPyWritesThem) {
  const struct {
    double value;
    const char* text;
  } cases[] = {
      {0, "0"},
      {1, "1"},
      {100, "100"},
      {1000, "1e3"},
      {1024, "1024"},
      {10000, "10e3"},
      {120000, "120e3"},
      {123456, "123456"},
      {1e9, "1e9"},
      {25.6e9, "25.6e9"},
      {7466e6, "7.466e9"},
      {0.5, "0.5"},
      {0.001, "0.001"},
      {1e-6, "0.000001"},
      {1e-7, "100e-9"},
      {1.5e-8, "15e-9"},
      {-4, "-4"},
      {-2500, "-2.5e3"},
      {1.0 / 3, "0.3333333333333333"},
      {1.1e100, "11e99"},
      {10, "10"},
      {12, "12"},
      {120, "120"},
      {12.5, "12.5"},
      {100.25, "100.25"},
      {12000, "12e3"},
      {12345678, "12345678"},
      {123456780, "123.45678e6"},
      {1e15, "1e15"},
      {1e16, "10e15"},
      {1e17, "100e15"},
      {123456789012345678.0, "123.45678901234568e15"},
      {0.1, "0.1"},
      {0.25, "0.25"},
      {0.0125, "0.0125"},
      {0.000012, "0.000012"},
      {0.00000125, "0.00000125"},
      {1.25e-7, "125e-9"},
      {1.25e-8, "12.5e-9"},
      {1.25e-9, "1.25e-9"},
      {-0.5, "-0.5"},
      {-1e-9, "-1e-9"},
      {1e300, "1e300"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(constant_text(c.value), c.text);
    EXPECT_EQ(value_of(c.text), c.value);
  }
}

}  // namespace
}  // namespace evname::expression::test
