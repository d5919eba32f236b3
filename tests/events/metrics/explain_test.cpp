// Why a metric has no value, in words.
#include <fmt/format.h>

#include "metric_machine.hpp"

namespace evname::test {
namespace {

using Why = MetricSet::Gap::Why;

const std::vector<MetricRow> kMetrics = {
    {.name = "part", .expr = "inst_retired.any - cpu_clk_unhalted.thread"},
    {.name = "twice", .expr = "part + part"},
};

MetricSet::Gap gap_of(const std::string& expression, const CountsByName& counts) {
  MetricSet set = MetricMachine(kMetrics).set();
  const auto added = set.add_expression("M", expression);
  EXPECT_TRUE(added) << expression;
  return set.explain(0, counts_of(set, counts));
}

TEST(Explain, NamesTheEventsThatHoldAMetricUp) {
  const struct {
    const char* expression;
    CountsByName counts;
    Why why;
    Strings events;
    const char* text;
  } cases[] = {
      {"inst_retired.any * 2", {{kInsns, 1}}, Why::none, {}, ""},
      {"inst_retired.any / cpu_clk_unhalted.thread",
       {},
       Why::not_counted,
       {kInsns, kClocks},
       "inst_retired.any, cpu_clk_unhalted.thread were not counted"},
      {"part + inst_retired.any",  // each once, in order of need
       {{kClocks, 1}},
       Why::not_counted,
       {kInsns},
       "inst_retired.any was not counted"},
      {"r1 + r2 + r3 + r4",
       {},
       Why::not_counted,
       {"r1", "r2", "r3", "r4"},
       "r1, r2, r3, r4 were not counted"},
      {"r1 + r2 + r3 + r4 + r5 + r6",
       {},
       Why::not_counted,
       {"r1", "r2", "r3", "r4", "r5", "r6"},
       "r1, r2, r3, r4 and 2 more were not counted"},
      {"inst_retired.any / (cpu_clk_unhalted.thread * unc_c_clockticks)",
       {{kInsns, 1}, {kClocks, 0}, {kTicks, 3}},
       Why::zero,
       {kClocks},
       "division by zero: nothing was counted of cpu_clk_unhalted.thread"},
      {"inst_retired.any / part",  // of a metric's events those that are 0
       {{kInsns, 0}, {kClocks, 0}},
       Why::zero,
       {kInsns, kClocks},
       "division by zero: nothing was counted of inst_retired.any, cpu_clk_unhalted.thread"},
      {"inst_retired.any / (twice + twice)",
       {{kInsns, 4}, {kClocks, 4}},
       Why::zero,
       {},
       "division by zero"},
      {"inst_retired.any / 0", {{kInsns, 1}}, Why::zero, {}, "division by zero"},
      {"5 % inst_retired.any",
       {{kInsns, 0}},
       Why::zero,
       {kInsns},
       "division by zero: nothing was counted of inst_retired.any"},
      {"inst_retired.any * 1e308 * 1e308",
       {{kInsns, 2}},
       Why::not_finite,
       {},
       "the counts don't lead to a finite number"},
  };
  for (const auto& [expression, counts, why, events, text] : cases) {
    const MetricSet::Gap gap = gap_of(expression, counts);
    EXPECT_EQ(gap.why, why) << expression;
    EXPECT_EQ(gap.events, events) << expression;
    EXPECT_EQ(gap.text, text) << expression;
  }
}

// The divisor that is 0 is found by computing what stands before it.
TEST(Explain, FindsTheDivisorBehindOtherOperators) {
  const struct {
    const char *before, *divisor;
  } cases[] = {
      {"(1 if inst_retired.any > 1 else 2)", "(unc_c_clockticks if inst_retired.any > 1 else 2)"},
      {"(1 if inst_retired.any < 1 else 2)", "(2 if inst_retired.any < 1 else unc_c_clockticks)"},
      {"-inst_retired.any", "(-inst_retired.any + inst_retired.any + unc_c_clockticks)"},
      {"inst_retired.any / 3", "(inst_retired.any - 3) * unc_c_clockticks"},
      {"max(inst_retired.any, 1)", "min(inst_retired.any, unc_c_clockticks)"},
      {"inst_retired.any", "d_ratio(unc_c_clockticks, inst_retired.any)"},
  };
  for (const auto& [before, divisor] : cases) {
    const std::string expression = ::fmt::format("{} / ({})", before, divisor);
    const MetricSet::Gap gap = gap_of(expression, {{kInsns, 3}, {kTicks, 0}});
    EXPECT_EQ(gap.why, Why::zero) << expression;
    EXPECT_EQ(gap.events, Strings{kTicks}) << expression;
  }
  // This one is not 0, so the next one is named.
  const MetricSet::Gap gap =
      gap_of("inst_retired.any / (1 if inst_retired.any else 0) / unc_c_clockticks",
             {{kInsns, 3}, {kTicks, 0}});
  EXPECT_EQ(gap.events, Strings{kTicks});
}

TEST(Explain, SaysWhyTheFirstEventCanNotBeCounted) {
  const MetricSet::Gap gap = gap_of("no_such_event + inst_retired.any + nor_this", {});
  EXPECT_EQ(gap.why, Why::no_event);
  EXPECT_EQ(gap.events, (Strings{"no_such_event", "nor_this"}));
  EXPECT_TRUE(gap.text.starts_with("no_such_event, nor_this were not counted: ")) << gap.text;
  EXPECT_NE(gap.text.find("'no_such_event'"), std::string::npos) << gap.text;
  EXPECT_EQ(gap.text.find("'nor_this'"), std::string::npos) << gap.text;
}

}  // namespace
}  // namespace evname::test
