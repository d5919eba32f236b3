#include "events/expression/evaluate.hpp"

#include <cmath>

#include "named_values.hpp"

namespace evname::expression::test {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct EvaluateCase {
  const char* text;
  double value;
};

void expect_values(std::span<const EvaluateCase> cases, const Named& named) {
  for (const auto& [text, wanted] : cases) {
    const auto value = value_of(text, named);
    ASSERT_TRUE(value) << text;
    if (std::isnan(wanted))
      EXPECT_TRUE(std::isnan(*value)) << text << " is " << *value;
    else
      EXPECT_DOUBLE_EQ(*value, wanted) << text;
  }
}

// Expressions and values of perf's own test: linux 6.12, tools/perf/tests/expr.c.
TEST(Evaluate, PerfsOwnTestExpressionsHavePerfsValues) {
  const EvaluateCase cases[] = {
      {"1+1", 2},
      {"FOO+BAR", 3},
      {"(BAR/2)%2", 1},
      {"1 - -4", 5},
      {"(FOO-1)*2 + (BAR/2)%2 - -4", 5},
      {"1-1 | 1", 1},
      {"1-1 & 1", 0},
      {"min(1,2) + 1", 2},
      {"max(1,2) + 1", 3},
      {"1+1 if 3*4 else 0", 2},
      {"100 if 1 else 200 if 1 else 300", 100},
      {"100 if 0 else 200 if 1 else 300", 200},
      {"100 if 1 else 200 if 0 else 300", 100},
      {"100 if 0 else 200 if 0 else 300", 300},
      {"1.1 + 2.1", 3.2},
      {".1 + 2.", 2.1},
      {"d_ratio(1, 2)", 0.5},
      {"d_ratio(2.5, 0)", 0},
      {"1.1 < 2.2", 1},
      {"2.2 > 1.1", 1},
      {"1.1 < 1.1", 0},
      {"2.2 > 2.2", 0},
      {"2.2 < 1.1", 0},
      {"1.1 > 2.2", 0},
      {"1.1e10 < 1.1e100", 1},
      {"1.1e2 > 1.1e-2", 1},
      {"FOO/0", kNotANumber},
  };
  expect_values(cases, {{"FOO", 1}, {"BAR", 2}});
}

// Metrics (pmu-events/arch/test/test_soc/cpu/metrics.json) and values of linux 6.12,
// tools/perf/tests/parse-metric.c. Metrics in terms of others are written out;
// duration_time is 200000000 ns.
TEST(Evaluate, PerfsOwnTestMetricsHavePerfsValues) {
  const EvaluateCase cases[] = {
      {"inst_retired.any / cpu_clk_unhalted.thread", 2},
      {"(l1d\\-loads\\-misses + l1i\\-loads\\-misses) / inst_retired.any", 1.25},
      {"idq_uops_not_delivered.core / (4 * (( ( cpu_clk_unhalted.thread / 2 ) * ( 1 + "
       "cpu_clk_unhalted.one_thread_active / cpu_clk_unhalted.ref_xclk ) )))",
       0.45},
      {"d_ratio(l2_rqsts.demand_data_rd_hit + l2_rqsts.pf_hit + l2_rqsts.rfo_hit, "
       "l2_rqsts.demand_data_rd_hit + l2_rqsts.pf_hit + l2_rqsts.rfo_hit + "
       "max(l2_rqsts.all_demand_data_rd - l2_rqsts.demand_data_rd_hit, 0) + l2_rqsts.pf_miss + "
       "l2_rqsts.rfo_miss)",
       0.3},
      {"64 * l1d.replacement / 1000000000 / duration_time", 1.28},
  };
  expect_values(cases, {{"inst_retired.any", 400},
                        {"cpu_clk_unhalted.thread", 200},
                        {"l1d-loads-misses", 300},
                        {"l1i-loads-misses", 200},
                        {"idq_uops_not_delivered.core", 300},
                        {"cpu_clk_unhalted.one_thread_active", 400},
                        {"cpu_clk_unhalted.ref_xclk", 600},
                        {"l2_rqsts.demand_data_rd_hit", 100},
                        {"l2_rqsts.pf_hit", 200},
                        {"l2_rqsts.rfo_hit", 300},
                        {"l2_rqsts.all_demand_data_rd", 400},
                        {"l2_rqsts.pf_miss", 500},
                        {"l2_rqsts.rfo_miss", 600},
                        {"l1d.replacement", 4000000},
                        {"duration_time", 0.2}});
}

// perf-facts 6.1.
TEST(Evaluate, OperatorsBindAsPerfBindsThem) {
  const EvaluateCase cases[] = {
      {"2 + 3 * 4", 14},
      {"8 - 4 - 2", 2},
      {"16 / 4 / 2", 2},
      {"7 % 4 % 2", 1},
      {"-2 * 3", -6},
      {"2 * -3", -6},
      {"- - 2", 2},
      {"-(1 + 2)", -3},
      {"1 | 0 ^ 1", 1},
      {"1 ^ 1 | 1", 1},
      {"1 ^ 1 & 0", 1},
      {"0 & 0 < 1", 0},
      {"2 < 1 + 2", 1},
      {"3 > 2 > 1", 0},
      {"1 if 0 else 2+3", 5},
      {"1 + 1 if 1 else 9", 2},
      {"(1 if 0 else 2)+3", 5},
      {"4 if 0 | 1 else 5", 4},
      {"min(0 | 1, 9)", 1},
      {"max(0, 0 | 1)", 1},
      {"d_ratio(0 | 1, 0 | 1)", 1},
      {"2-1", 1},
      {"1e3-1", 999},
  };
  expect_values(cases, {});
}

// perf-facts 6.1: doubles, logical results are 0 or 1, conversion of the remainder's operands.
TEST(Evaluate, LogicAndRemainderFollowPerf) {
  const EvaluateCase cases[] = {
      {"2 | 0", 1}, {"0 | 0", 0},  {"2 & 3", 1},     {"2 ^ 3", 0},   {"2 ^ 0", 1},
      {"0 ^ 0", 0}, {"-0 | 0", 0}, {"7.9 % 4.9", 3}, {"-7 % 4", -3}, {"7 % -4", 3},
  };
  expect_values(cases, {});
}

// linux 6.12, tools/perf/util/expr.y: NaN is no constant there, so that only a constant on the
// other side of | and & decides; min and max are written with < and >.
TEST(Evaluate, NaNGoesThroughButWhereTheOtherSideDecides) {
  const EvaluateCase cases[] = {
      {"NaN + 1", kNotANumber},     {"-missing", kNotANumber},
      {"missing < 1", kNotANumber}, {"1 > missing", kNotANumber},
      {"missing / 2", kNotANumber}, {"2 / missing", kNotANumber},
      {"missing % 2", kNotANumber}, {"2 % missing", kNotANumber},
      {"missing | 1", 1},           {"0 | missing", kNotANumber},
      {"missing & 0", 0},           {"1 & missing", kNotANumber},
      {"missing ^ 1", kNotANumber}, {"0 * missing", kNotANumber},
      {"min(missing, 1)", 1},       {"min(1, missing)", kNotANumber},
      {"max(missing, 1)", 1},       {"max(1, missing)", kNotANumber},
      {"d_ratio(missing, 0)", 0},   {"d_ratio(1, missing)", kNotANumber},
      {"1 if missing else 2", 1},   {"missing if 0 else 2", 2},
      {"2 if 1 else missing", 2},   {"0 / 0", kNotANumber},
      {"1 / -0", kNotANumber},      {"d_ratio(0, 0)", 0},
      {"1 if 1 / 0 else 2", 1},     {"infinite | infinite", kNotANumber},
      {"infinite | 0", kInfinity},  {"1 & infinite", kInfinity},
  };
  expect_values(cases, {{"infinite", kInfinity}});
}

// perf's parser stops at these (YYABORT, EXPR_ERROR), even where the result isn't used.
TEST(Evaluate, AnExpressionThatPerfGivesUpOnHasNoValue) {
  for (const char* text :
       {"1 % 0", "5 % zero", "1 if 1 else 5 % 0", "5 % 0.5", "#slots + 1", "1 if #slots else 2"})
    EXPECT_FALSE(value_of(text, {{"zero", 0}})) << text;
}

TEST(Evaluate, EverySymbolHasItsOwnValue) {
  const Program program = parsed("source_count(a) + a + has_event(a) + #num_cpus + a");
  const std::vector<Symbol> wanted = {{SymbolKind::source_count, "a"},
                                      {SymbolKind::event, "a"},
                                      {SymbolKind::has_event, "a"},
                                      {SymbolKind::literal, "#num_cpus"}};
  EXPECT_EQ(program.symbols, wanted);
  const double values[] = {1, 20, 300, 4000};
  EXPECT_EQ(evaluate(program.code(), values), 4341);
}

}  // namespace
}  // namespace evname::expression::test
