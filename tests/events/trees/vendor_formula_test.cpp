// Formulas of Intel's perfmon in the kernel's language. Its grammar is tools/perf/util/expr.y: "&",
// "|", "^" and "a if b else c", and no ">="; names with a minus are escaped, and terms of an event
// stand between "@".

#include "events/trees/vendor_formula.hpp"

#include <gtest/gtest.h>

namespace evname::trees {
namespace {

const FormulaNames kNames = {{"a", {"INST_RETIRED.ANY", "uncore_cha_0@event@"}},
                             {"b", {"CPU_CLK_UNHALTED.THREAD", ""}},
                             {"metric_TMA_(%)", {"tma_x", "", true}}};

std::string text_of(std::string_view formula, OtherWords others = OtherWords::unknown) {
  const auto out = kernel_formula(formula, kNames, others);
  return out ? *out : out.error().text();
}

TEST(VendorFormulas, BecomeTheKernels) {
  const std::pair<const char*, const char*> rows[] = {
      {"a/b", "INST_RETIRED.ANY / CPU_CLK_UNHALTED.THREAD"},
      {" a  *\n1e-3 ", "INST_RETIRED.ANY * 1e-3"},
      {"a * 1E+9 + .5 + 2e6", "INST_RETIRED.ANY * 1e9 + .5 + 2e6"},
      {"a * 1e", "formula, column 6: 'e' is not an alias of an event or a constant"},
      {"a > 1 && b < 2 || a",
       "INST_RETIRED.ANY > 1 & CPU_CLK_UNHALTED.THREAD < 2 | INST_RETIRED.ANY"},
      {"a >= 1", "1 - (INST_RETIRED.ANY < 1)"},
      {"a > = 1 & b <= 2 & a",
       "1 - (INST_RETIRED.ANY < 1) & 1 - (CPU_CLK_UNHALTED.THREAD > 2) & INST_RETIRED.ANY"},
      {"max(a >= 1, b >= 2)", "max(1 - (INST_RETIRED.ANY < 1), 1 - (CPU_CLK_UNHALTED.THREAD < 2))"},
      {"a if b >= 2 else min(a, 1)",
       "INST_RETIRED.ANY if 1 - (CPU_CLK_UNHALTED.THREAD < 2) else min(INST_RETIRED.ANY, 1)"},
      {"(a >= 1) >= (b)", "1 - ((1 - (INST_RETIRED.ANY < 1)) < (CPU_CLK_UNHALTED.THREAD))"},
      {"a >= 1 >= b", "formula, column 8: two comparisons without brackets"},
      {"a[0] * #NA + #core_wide", "uncore_cha_0@event@ * NaN + #core_wide"},
      {"DURATIONTIMEINSECONDS % 2 ^ a", "duration_time % 2 ^ INST_RETIRED.ANY"},
      // A percentage that is compared keeps its own scale; another has a hundredfold one.
      {"metric_TMA_(%) > 5", "tma_x > 0.05"},
      {"metric_TMA_(%) <  12.5 & a", "tma_x < 0.125 & INST_RETIRED.ANY"},
      {"metric_TMA_(%) + 5", "(100 * tma_x) + 5"},
      {"metric_TMA_(%) > a", "(100 * tma_x) > INST_RETIRED.ANY"},
      {"b[0]", "formula, column 1: nothing is known of the units of 'b'"},
      {"a + c", "formula, column 5: 'c' is not an alias of an event or a constant"},
      {"a + #", "formula, column 5: a # without a name"},
      {"a)", "formula, column 2: a ')' without a '('"},
      {"a ! b", "formula, column 3: '!' is not part of a formula"},
  };
  for (const auto& [formula, expected] : rows) {
    const std::string text = text_of(formula);
    const std::string_view message(expected);
    if (message.starts_with("formula,"))
      EXPECT_NE(text.find(message.substr(message.find(": ") + 2)), text.npos)
          << formula << ": " << text;
    else
      EXPECT_EQ(text, expected) << formula;
  }
}

TEST(VendorFormulas, HaveEventsWithSuffixes) {
  const std::pair<const char*, const char*> rows[] = {
      {"UOPS_RETIRED.MS:c1:e1", "UOPS_RETIRED.MS@cmask\\=1\\,edge\\=1@"},
      {"INST_RETIRED.ANY:sup", "INST_RETIRED.ANY:k"},
      {"INST_RETIRED.ANY:SUP:i1", "INST_RETIRED.ANY@inv\\=1@k"},
      {"UNC_CHA_TOR:c3", "UNC_CHA_TOR@thresh\\=3@"},
      {"UNC_CHA_TOR:opc=0x182", "UNC_CHA_TOR@filter_opc\\=0x182@"},
      {"TSC", "msr@tsc@"},
      {"PERF_METRICS.RETIRING", "topdown\\-retiring"},
      {"UNC_PKG_ENERGY_STATUS", "power@energy\\-pkg@"},
  };
  for (const auto& [event, expected] : rows) {
    const auto out = kernel_event(event);
    EXPECT_EQ(out ? *out : out.error().text(), expected) << event;
  }
  EXPECT_FALSE(kernel_event("INST_RETIRED.ANY:wrong"));
  EXPECT_EQ(text_of("TSC / INST_RETIRED.ANY:u1", OtherWords::events),
            "msr@tsc@ / INST_RETIRED.ANY@umask\\=1@");
}

TEST(VendorFormulas, PercentIsDividedAway) {
  EXPECT_EQ(without_percent("100 * a / b"), "a / b");
  EXPECT_EQ(without_percent("a / b"), "(a / b) / 100");
}

}  // namespace
}  // namespace evname::trees
