// Single lines of perf stat at the edges of what it prints. Source: util/stat-display.c of Linux
// 7.3, and perf-stat(1), "CSV FORMAT".
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "evname/metric.hpp"

namespace evname::test {
namespace {

/// "TIME @PLACE EVENT [PMU] = VALUE UNIT xCOUNTERS ~RUNNING" of each count, then "!WARNING".
std::string counted_in(std::string_view text, std::string_view separator = {}) {
  const auto counts = read_counts_text(text, separator);
  if (!counts) return "error: " + counts.error().message;
  std::string out;
  for (const CountGroup& group : counts->groups)
    for (const CountedEvent& one : group.counts) {
      if (!out.empty()) out += "; ";
      if (group.time) out += fmt::format("{} ", *group.time);
      if (!group.place.empty()) out += "@" + group.place + " ";
      out += one.event;
      if (!one.pmu.empty()) out += " [" + one.pmu + "]";
      out += one.is_counted() ? fmt::format(" = {}", one.value)
             : !one.supported ? std::string(" unsupported")
                              : std::string(" uncounted");
      if (!one.unit.empty()) out += " " + one.unit;
      if (one.counters != 0) out += fmt::format(" x{}", one.counters);
      if (one.running != 1) out += fmt::format(" ~{}", one.running);
    }
  for (const std::string& warning : counts->warnings) out += "!" + warning;
  return out;
}

struct LineCase {
  const char *line, *counted;
};

TEST(CountLine, OfFieldsIsReadWithItsPlaceAndShare) {
  const LineCase cases[] = {
      {"0,,a,9,100.00,,", "a = 0"},
      {"5,,a,9,100.00,,", "a = 5"},
      {"123456789012345,,a,9,100.00,,", "a = 123456789012345"},
      {"1234567890123456,,a,9,100.00,,", "a = 1234567890123456"},
      {"1.123456789,,a,9,100.00,,", "a = 1.123456789"},
      {"1.1234567891,,a,9,100.00,,", "a = 1.1234567891"},
      {"0.5,,a,9,100.00,,", "a = 0.5"},
      {".5,,a,9,100.00,,", "a = 0.5"},
      {"5.,,a,9,100.00,,", "a = 5"},
      {"1e3,,a,9,100.00,,", "a = 1000"},
      {"-7,C,a,9,100.00,,", "a = -7 C"},
      {"5,,a,9,0.00,,", "a = 5"},
      {"5,,a,9,0.01,,", "a = 5 ~0.0001"},
      {"5,,a,9,75.00,,", "a = 5 ~0.75"},
      {"5,,a,9,100.00", "a = 5"},
      {"<not counted>,,a,0,0.00,,", "a uncounted"},
      {"<not supported>,,a,0,100.00,,", "a unsupported"},
      {"S0,1,5,,a,9,100.00,,", "@S0 a = 5 x1"},
      {"S0,0,5,,a,9,100.00,,", "@S0 a = 5"},
      {"S0,1048576,5,,a,9,100.00,,", "@S0 a = 5 x1048576"},
      {"S0,1048577,5,,a,9,100.00,,", "@S0 a = 5"},
      {"1.5,S0,2,5,,a,9,50.00,,", "1.5 @S0 a = 5 x2 ~0.5"},
      {"1.5,S0,5,,a,9,50.00,,", "1.5 @S0 a = 5 ~0.5"},
      {"1.5,5,,a,9,50.00,,", "1.5 a = 5 ~0.5"},
      {"1.5,S0,2,5,,a,group,9,50.00,,", "1.5 @S0 group a = 5 x2 ~0.5"},
      {"5,,a,group,1.25%,9,50.00,,", "@group a = 5 ~0.5"},
      {"5,,a,1.25%,9,50.00,,", "a = 5 ~0.5"},
      {"5,,a [uncore_imc_0],9,100.00,,", "a [uncore_imc_0] = 5"},
      {"5,,cpu/a,b=1/,9,100.00,,", "cpu/a,b=1/ = 5"},
      {"5,,a/b,9,100.00,,", "a/b = 5"},
      {"5,,cpu/a,b=1,c=2/u,9,50.00,,", "cpu/a,b=1,c=2/u = 5 ~0.5"},
      {"5,,cpu/a/,9,100.00,,", "cpu/a/ = 5"},
      {" 5 , , a , 9 , 100.00 , , ", "a = 5"},
      {"5,,abc],9,100.00,,", "abc] = 5"},
      {"5,,a,9,x,,", "error: no counts of perf stat were found"},
      {"5,,a,x,y,100.00,,", "error: no counts of perf stat were found"},
      {"# 5,,a,9,100.00,,", "error: no counts of perf stat were found"},
  };
  for (const auto& [line, counted] : cases) EXPECT_EQ(counted_in(line), counted) << line;
}

TEST(CountLine, HasNoneOfTheNumbersThatPerfGaveItsEvents) {
  const LineCase cases[] = {
      {"5,,A/metric-id=A/,9,100.00,,", "A = 5"},
      {"5,,A/metric-id=A/u,9,100.00,,", "A//u = 5"},
      {"5,,cpu/metric-id=x,a=1/,9,100.00,,", "cpu/a=1/ = 5"},
      {"5,,cpu/a=1,metric-id=x/,9,100.00,,", "cpu/a=1/ = 5"},
      {"5,,cpu/a=1,metric-id=x,b=2/,9,100.00,,", "cpu/a=1,b=2/ = 5"},
      {"5,,cpu/a=1,b=2/,9,100.00,,", "cpu/a=1,b=2/ = 5"},
  };
  for (const auto& [line, counted] : cases) EXPECT_EQ(counted_in(line), counted) << line;
}

// perf before 7 puts the PMU around the whole name.
TEST(CountLine, HasItsModifiersBehindTheSlash) {
  const LineCase cases[] = {
      {"5,,cpu_core/cycles:u/,9,100.00,,", "cpu_core/cycles/u = 5"},
      {"5,,cpu_core/cycles:ukpp/,9,100.00,,", "cpu_core/cycles/ukpp = 5"},
      {"5,,cpu_core/a:b.c/,9,100.00,,", "cpu_core/a:b.c/ = 5"},
      {"5,,cpu_core/name=x:u/,9,100.00,,", "cpu_core/name=x:u/ = 5"},
      {"5,,cpu_core/cycles/:u,9,100.00,,", "cpu_core/cycles/:u = 5"},
      {"5,,cycles:u,9,100.00,,", "cycles:u = 5"},
      {R"({"counter-value":"5","event":"cpu_atom/cycles:k/"})", "cpu_atom/cycles/k = 5"},
      {"   5      cpu_atom/cycles:k/", "cpu_atom/cycles/k = 5"},
  };
  for (const auto& [line, counted] : cases) EXPECT_EQ(counted_in(line), counted) << line;
}

TEST(CountLine, OfOtherSeparatorsIsReadAsWell) {
  for (const std::string separator : {",", ";", "\t", "|", ":", " ", "@@", "<->"}) {
    std::string line;
    for (const char* field : {"5", "msec", "a", "9", "50.00", "1", "x"})
      line += (line.empty() ? "" : separator) + field;
    EXPECT_EQ(counted_in(line, separator), "a = 5 msec ~0.5") << separator;
    if (separator.size() == 1 && separator != " ") {
      EXPECT_EQ(counted_in(line), "a = 5 msec ~0.5") << separator;
    }
  }
}

TEST(CountLine, OfJsonIsReadWithItsPlaceAndShare) {
  const LineCase cases[] = {
      {R"({"counter-value":"5","event":"a"})", "a = 5"},
      {R"({"counter-value":5,"event":"a"})", "a = 5"},
      {R"({"counter-value":-5,"unit":"C","event":"a"})", "a = -5 C"},
      {R"({"counter-value":5000000000,"event":"a"})", "a = 5000000000"},
      {R"({"counter-value":5.5,"event":"a"})", "a = 5.5"},
      {R"({"counter-value":" 5 ","event":" a "})", "a = 5"},
      {R"({"cpu":"3","counter-value":"5","event":"a"})", "@CPU3 a = 5"},
      {R"({"cpu":"CPU3","counter-value":"5","event":"a"})", "@CPU3 a = 5"},
      {R"({"die":"S0-D1","counter-value":"5","event":"a"})", "@S0-D1 a = 5"},
      {R"({"cluster":"C1","counter-value":"5","event":"a"})", "@C1 a = 5"},
      {R"({"cache":"L3","counter-value":"5","event":"a"})", "@L3 a = 5"},
      {R"({"node":"N1","counter-value":"5","event":"a"})", "@N1 a = 5"},
      {R"({"cgroup":"g","counter-value":"5","event":"a"})", "@g a = 5"},
      {R"({"socket":"S0","cgroup":"g","counter-value":"5","event":"a"})", "@S0 g a = 5"},
      {R"({"socket":"S0","core":"S0-C0","counter-value":"5","event":"a"})", "@S0-C0 a = 5"},
      {R"({"counters":1,"counter-value":"5","event":"a"})", "a = 5 x1"},
      {R"({"counters":0,"counter-value":"5","event":"a"})", "a = 5"},
      {R"({"aggregate-number":7,"counter-value":"5","event":"a"})", "a = 5 x7"},
      {R"({"counter-value":"5","event":"a","pcnt-running":50.0})", "a = 5 ~0.5"},
      {R"({"counter-value":"5","event":"a","pcnt-running":100.0})", "a = 5"},
      {R"({"counter-value":"5","event":"a","pcnt-running":0.0})", "a = 5"},
      {R"({"interval":1.5,"counter-value":"5","event":"a"})", "1.5 a = 5"},
      {R"({"counter-value":"5","event":"a","more":{"event":"b","list":[{"unit":"x"}]}})", "a = 5"},
      {R"({"more":[1,{"event":"b"}],"counter-value":"5","event":"a"})", "a = 5"},
      {R"({"event":"a","event":"b","counter-value":"5"})", "a = 5"},
      {R"({"counter-value":"<not supported>","event":"a"})", "a unsupported"},
      {"{\"counter-value\":\"5\"}\n", "error: no counts of perf stat were found"},
      {"{\"event\":\"a\"}\n", "error: no counts of perf stat were found"},
      {R"([{"counter-value":"5","event":"a"}])", "error: no counts of perf stat were found"},
  };
  for (const auto& [line, counted] : cases) EXPECT_EQ(counted_in(line), counted) << line;
}

TEST(CountLine, OfTextIsReadInEachLocale) {
  const LineCase cases[] = {
      {"   1      a", "a = 1"},
      {"   12      a", "a = 12"},
      {"   123      a", "a = 123"},
      {"   1,234      a", "a = 1234"},
      {"   12,345,678      a", "a = 12345678"},
      {"   12 345 678      a", "a = 12345678"},
      {"   1.57 msec a", "a = 1.57 msec"},
      {"   1,57 msec a", "a = 1.57 msec"},
      {"   1'234      a", "a = 1234"},
      {"   1'23      a", "a = 123"},
      {"   -7 C  a", "a = -7 C"},
      {"   -7.25 C  a", "a = -7.25 C"},
      {"   1x234      a", "error: no counts of perf stat were found"},
      {"   ,234      a", "error: no counts of perf stat were found"},
      {"   234,      a", "error: no counts of perf stat were found"},
      {"   1      a    (50.00%)", "a = 1 ~0.5"},
      {"   1      a    (50,00%)", "a = 1 ~0.5"},
      {"   1      a    (100.00%)", "a = 1"},
      {"   1      a    (0.00%)", "a = 1"},
      {"   1      a    ( +-  0.41% )  (50.00%)", "a = 1 ~0.5"},
      {"   1      a    # 2.5 per cent (50.00%)", "a = 1 ~0.5"},
      {"   1      a   [pmu_0]", "a [pmu_0] = 1"},
      {"   1      a    group", "@group a = 1"},
      {"S0   1      a    group", "@S0 group a = 1"},
      {"   0.100227042 S0   2   1      a    group", "0.100227042 @S0 group a = 1 x2"},
      {"   1      a    group more", "error: no counts of perf stat were found"},
      {"   0.100227042   5      a", "0.100227042 a = 5"},
      {"   0.10022704   5      a", "error: no counts of perf stat were found"},
      {"   0.1002270421   5      a", "error: no counts of perf stat were found"},
      {"   0.100227042 S0   5      a", "0.100227042 @S0 a = 5"},
      {"   0.100227042 S0   2   5      a", "0.100227042 @S0 a = 5 x2"},
      {"S0   2   5      a", "@S0 a = 5 x2"},
      {"name-7   5      a", "@name-7 a = 5"},
      {"two words-7   5      a", "@two words-7 a = 5"},
      {"name   5      a", "error: no counts of perf stat were found"},
      {"   <not counted>      a    (0.00%)", "a uncounted"},
      {"   <not supported> msec a", "a unsupported msec"},
      {"   1      <a>", "error: no counts of perf stat were found"},
      {"   1      2", "error: no counts of perf stat were found"},
      {"   1", "error: no counts of perf stat were found"},
  };
  for (const auto& [line, counted] : cases) EXPECT_EQ(counted_in(line), counted) << line;
}

TEST(CountLine, OfARunsTimeStandsBelow) {
  const std::string first = "   5      a\n";
  const LineCase cases[] = {
      {"   1.5 seconds time elapsed", "a = 5; duration_time = 1.5 s"},
      {"   1.5 +- 0.1 seconds time elapsed  ( +-  6.67% )", "a = 5; duration_time = 1.5 s"},
      {"   1.5 seconds user", "a = 5; user_time = 1.5 s"},
      {"   1.5 seconds sys", "a = 5; system_time = 1.5 s"},
      {"   x seconds user", "a = 5"},
  };
  for (const auto& [line, counted] : cases)
    EXPECT_EQ(counted_in(first + line + "\n"), counted) << line;
}

TEST(CountLine, ThatNoCounterCanHaveIsAFault) {
  const std::string first = "1,,z,9,100.00,,\n";
  const LineCase cases[] = {
      {"9223372036854775807,,a,9,100.00,,", "z = 1; a = 9.223372036854776e+18"},
      {"9400000000000000000,,a,9,100.00,,",
       "z = 1; a uncounted!line 2: a: 9.4e+18 is more than a counter counts"},
      {"184467440737095516161,,a,9,100.00,,",
       "z = 1; a uncounted!line 2: a: 1.844674407370955e+20 is more than a counter counts"},
      {"-1,,a,9,100.00,,", "z = 1; a uncounted!line 2: a: -1 is less than nothing"},
      {"+inf,,a,9,100.00,,", "z = 1; a uncounted!line 2: a: +inf is not a count"},
      {"NaN,,a,9,100.00,,", "z = 1; a uncounted!line 2: a: NaN is not a count"},
      {"none,,a,9,100.00,,", "z = 1"},
  };
  for (const auto& [line, counted] : cases)
    EXPECT_EQ(counted_in(first + line + "\n"), counted) << line;
}

}  // namespace
}  // namespace evname::test
