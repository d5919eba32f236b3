// Metrics in the makers' layouts. Files have the form of Intel's of 2026 and Arm's of April 2026.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "events/compiler/build_tables.hpp"
#include "events/tables/model_view.hpp"
#include "events/trees/vendor_formula.hpp"
#include "support/temp_dir.hpp"

namespace evname::compiler {
namespace {

using Strings = std::vector<std::string>;
using trees::FormulaNames;
using trees::OtherWords;

constexpr const char* kMapfile =
    "Family-model,Version,Filename,EventType,Core Type,Native Model ID,Core Role Name\n"
    "GenuineIntel-6-8F,V1.2,/SPR/events/spr_core.json,core,,,\n"
    "GenuineIntel-6-8F,V1.3,/SPR/metrics/spr_metrics.json,metrics,,,\n"
    "GenuineIntel-6-8F,V1.0,/SPR/metrics/spr_retire_latency.json,retire latency,,,\n";
constexpr const char* kCore =
    R"({"Header": {}, "Events": [{"EventName": "A.B", "EventCode": "0x1", "UMask": "0x2"},
                                 {"EventName": "C.D", "EventCode": "0x3", "UMask": "0x0"}]})";
constexpr const char* kLatencies =
    R"({"Platform": {"Model": "143"}, "Data": {"A.B": {"MIN": 0, "MAX": 888, "MEAN": 6.11}}})";

/// A tree of the only metrics, which the text has.
class IntelTree {
 public:
  explicit IntelTree(const std::string& metrics)
      : dir_{{"mapfile.csv", kMapfile},
             {"SPR/events/spr_core.json", kCore},
             {"SPR/metrics/spr_retire_latency.json", kLatencies},
             {"SPR/metrics/spr_metrics.json",
              R"({"Header": {"Info": "i"}, "Metrics": [)" + metrics + "]}"}} {
    const Strings roots{dir_.path()};
    auto trees = group_by_architecture(roots, diagnostics_);
    arrays_ = build_tables(trees.at(0), diagnostics_);
  }
  tables::ArchTables view() const { return arrays_.view(); }
  const tables::Metric& metric(std::size_t index = 0) const { return view().metrics[index]; }
  std::string text(tables::Text at) const { return std::string(view().text(at)); }
  /// Reports with the names of files cut to their last part.
  Strings said() const {
    Strings out;
    for (const trees::Diagnostic& one : diagnostics_.all()) {
      const std::string text = diagnostics_.text(one);
      out.push_back(text.substr(text.find_last_of('/', text.find(':')) + 1));
    }
    return out;
  }

 private:
  test::TempDir dir_;
  trees::Diagnostics diagnostics_;
  tables::TableArrays arrays_;
};

constexpr const char* kNode = R"json({
  "MetricName": "Fetch_Latency", "LegacyName": "metric_TMA_..Fetch_Latency(%)",
  "ParentCategory": "Frontend_Bound", "Level": 2,
  "BriefDescription": "One sentence, i.e. this. Another.", "UnitOfMeasure": "percent",
  "Events": [{"Name": "A.B:c1:e1", "Alias": "a"}, {"Alias": "b", "Name": "C.D"},
             {"Name": "PERF_METRICS.FETCH_LATENCY", "Alias": "a_b"}],
  "Constants": [{"Name": "HYPERTHREADING_ON", "Alias": "smt_on"},
                {"Name": "20", "Alias": "weight"}],
  "Formula": "100 * ( ( a / 2 ) if smt_on else ( a_b * weight / ( b ) ) )",
  "BaseFormula": "not looked at", "Category": "TMA", "CountDomain": "Slots",
  "Threshold": {"ThresholdMetrics": [{"Alias": "a", "Value": "metric_TMA_..Fetch_Latency(%)"}],
                "Formula": "( a > 10 )", "BaseFormula": "x", "ThresholdIssues": "$issueFB"},
  "Other": {"Formula": "( a > 99 )"},
  "ResolutionLevels": "THREAD", "MetricGroup": "Frontend;Default", "LocateWith": "A.B;C.D:c1; #NA"})json";

TEST(IntelMetrics, BecomeTheKernelsMetrics) {
  const IntelTree tree(kNode);
  EXPECT_EQ(tree.said(), Strings());
  ASSERT_EQ(tree.view().metrics.size(), 1U);
  const tables::Metric& metric = tree.metric();
  EXPECT_EQ(tree.text(metric.name), "tma_fetch_latency");
  EXPECT_EQ(tree.text(metric.expr),
            "((A.B@cmask\\=1\\,edge\\=1@ / 2) if #SMT_on else (topdown\\-fetch\\-lat * 20 / "
            "(C.D)))");
  EXPECT_EQ(tree.text(metric.threshold), "(tma_fetch_latency > 0.1)");
  EXPECT_EQ(tree.text(metric.group),
            "Frontend;Default;TopdownL2;tma_L2_group;tma_frontend_bound_group");
  EXPECT_EQ(tree.text(metric.unit), "100%");
  EXPECT_EQ(tree.text(metric.desc), "One sentence, i.e. this");
  EXPECT_EQ(tree.text(metric.long_desc), "One sentence, i.e. this. Another");
  EXPECT_EQ(tree.text(metric.sample), "A.B;C.D/cmask=1/");
  EXPECT_EQ(metric.share_of, 1);  // slots
  EXPECT_EQ(tree.text(tree.view().models[0].source), "Intel perfmon SPR 1.2");
}

TEST(IntelMetrics, ABaseFormulaIsInTermsOfMetricsAndEvents) {
  const IntelTree tree(R"({"MetricName": "X", "Category": "TMA", "Level": 1,
    "BaseFormula": "tma_y / a.b:c1 if #SMT_on else 100 * duration_time"})");
  EXPECT_EQ(tree.said(), Strings());
  EXPECT_EQ(tree.text(tree.metric().expr),
            "tma_y / a.b@cmask\\=1@ if #SMT_on else 100 * duration_time");
}

TEST(IntelMetrics, LatenciesAreOfTheEventsOfThatName) {
  const IntelTree tree(kNode);
  const auto view = tree.view();
  ASSERT_EQ(view.events.size(), 2U);
  for (const tables::Event& event : view.events)
    EXPECT_EQ(view.latencies[event.latency].mean, view.text(event.name) == "a.b" ? 6.11 : 0);
}

// The tables hold 255 different ones.
TEST(IntelMetrics, LatenciesThatTheTablesHaveNoRoomForAreTold) {
  std::string events, latencies;
  for (int i = 0; i < 257; ++i) {
    const std::string comma = i == 0 ? "" : ",";
    events += comma + fmt::format(R"({{"EventName":"E{:03}","EventCode":"1"}})", i);
    latencies += comma + fmt::format(R"("E{:03}":{{"MIN":0,"MAX":{},"MEAN":1}})", i, i + 1);
  }
  const test::TempDir dir{
      {"mapfile.csv", kMapfile},
      {"SPR/events/spr_core.json", R"({"Events":[)" + events + "]}"},
      {"SPR/metrics/spr_retire_latency.json", R"({"Data":{)" + latencies + "}}"}};
  trees::Diagnostics diagnostics;
  const Strings roots{dir.path()};
  const auto trees = group_by_architecture(roots, diagnostics);
  const tables::TableArrays arrays = build_tables(trees.at(0), diagnostics);
  EXPECT_EQ(arrays.latencies.size(), 256u);
  Strings said;
  for (const trees::Diagnostic& one : diagnostics.all())
    if (one.key == "MEAN") said.push_back(one.event);
  EXPECT_EQ(said, (Strings{"e255", "e256"}));
}

std::string metric(const std::string& name, const std::string& formula,
                   const std::string& event = "A.B", const std::string& more = "") {
  return R"({"MetricName": ")" + name + R"(", "LegacyName": "metric_)" + name +
         R"(", "Level": 1, "Events": [{"Name": ")" + event + R"(", "Alias": "a"}], )" + more +
         R"("Formula": ")" + formula + R"(", "Category": "MPI"})";
}

TEST(IntelMetrics, WhatCannotBeUsedIsSaidWithItsPlace) {
  const std::string long_event(1000, 'E');
  std::string sum = "a";
  for (int i = 1; i < 2000; ++i) sum += "+a";
  const std::string deep = std::string(10000, '(') + "a" + std::string(10000, ')');
  const struct {
    std::string metrics, said;
  } cases[] = {
      {metric("m", "a + b"),
       "error: m: Formula: formula, column 5: 'b' is not an alias of an event or a constant"},
      {metric("m", "a", "A.B:q7"), "error: m: Formula: unknown suffix 'q7' of event 'A.B:q7'"},
      {metric("m", "a", "A B"), "error: m: Formula: 'A B' is not the name of an event"},
      {metric("m", "a", "A.B", R"("Constants": [{"Name": "X", "Alias": "x"}],)"),
       "error: m: Formula: unknown constant 'X'"},
      {metric("m", "a", "A.B", R"("Constants": [{"Name": "2", "Alias": "a"}],)"),
       "error: m: Formula: the alias 'a' stands twice"},
      {metric("m", "a )"), "error: m: Formula: formula, column 3: a ')' without a '('"},
      {metric("m", "a ; a"), "error: m: Formula: formula, column 3: ';' is not part of a formula"},
      {metric("m", "a", "A.B",
              R"json("Threshold": {"Formula": "q > 1",
                   "ThresholdMetrics": [{"Alias": "q", "Value": "n"}]},)json"),
       "error: m: Threshold: 'n' is not a metric of the file"},
      {metric("m", "a") + "," + metric("m", "a / 2"), "m: MetricName: stands twice in the file"},
      {metric("m", "a", "n") + "," + metric("n", "a", "m"),
       "error: m: MetricExpr: the metric needs itself, by way of n"},
      {metric("m", deep), "error: m: MetricExpr: metric expression, column 257: "},
      {metric("m", sum, long_event),
       "error: m: Formula: formula, column 2092: it is too long with what aliases mean"},
  };
  for (const auto& one : cases) {
    const IntelTree tree(one.metrics);
    const Strings said = tree.said();
    ASSERT_EQ(said.size(), 1U) << one.said;
    EXPECT_TRUE(said[0].starts_with("spr_metrics.json:1: ")) << said[0];
    EXPECT_NE(said[0].find(one.said), std::string::npos) << said[0];
  }
}

TEST(IntelMetrics, ALongChainIsNoCircle) {
  std::string chain = metric("m0", "a", "A.B");
  for (int i = 1; i < 10000; ++i)
    chain += "," + metric("m" + std::to_string(i), "a", "m" + std::to_string(i - 1));
  EXPECT_EQ(IntelTree(chain).said(), Strings());
}

TEST(KernelFormula, SaysTheSameInTheKernelsLanguage) {
  const FormulaNames names{{"a", {"A.B", "uncore_pcu@A.B@"}},
                           {"b", {"C.D", {}}},
                           {"p", {"tma_x", {}, true}},
                           {"metric_TMA_..X(%)", {"tma_x", {}}}};
  const struct {
    std::string_view theirs, ours;
  } cases[] = {
      {"a  /b", "A.B / C.D"},
      {"min( a , 1E9 )", "min(A.B, 1e9)"},
      {"( b > = 0 ) & a <= 2e+3", "(1 - (C.D < 0)) & 1 - (A.B > 2e3)"},
      {"a > 1 || b < .5 && a", "A.B > 1 | C.D < .5 & A.B"},
      {"#NA if 0 > 2 else a", "NaN if 0 > 2 else A.B"},
      {"(b / a[0]) / DURATIONTIMEINSECONDS", "(C.D / uncore_pcu@A.B@) / duration_time"},
      {"p > 15 & p * 2 < p", "tma_x > 0.15 & (100 * tma_x) * 2 < (100 * tma_x)"},
      {"metric_TMA_..X(%) >0.20", "tma_x > 0.20"},
  };
  for (const auto& one : cases)
    EXPECT_EQ(trees::kernel_formula(one.theirs, names, OtherWords::unknown).value_or("error"),
              one.ours);
  EXPECT_EQ(trees::kernel_formula("tma_x + uops.y:c1:i1", {}, OtherWords::events).value_or(""),
            "tma_x + uops.y@cmask\\=1\\,inv\\=1@");
  EXPECT_EQ(trees::kernel_formula("a >= b >= a", names, OtherWords::unknown).error().message,
            "two comparisons without brackets");
  EXPECT_EQ(trees::kernel_formula("a + b[0]", names, OtherWords::unknown).error().text(),
            "formula, column 5: nothing is known of the units of 'b'");
}

TEST(KernelEvent, KnowsIntelsSuffixes) {
  const struct {
    std::string_view theirs, ours;
  } cases[] = {
      {"UNC_CHA_X:c1", "UNC_CHA_X@thresh\\=1@"},
      {"UNC_CHA_X:one_unit", "uncore_cha_0@UNC_CHA_X@"},
      {"UNC_C_X:opc=0x1c8:tid=0x3e", "UNC_C_X@filter_opc\\=0x1c8\\,filter_tid\\=0x3e@"},
      {"X.Y:USER", "X.Y:u"},
      {"X.Y:SUP", "X.Y:k"},
      {"X.Y:retire_latency", "X.Y:R"},
      {"TOPDOWN.SLOTS:perf_metrics", "TOPDOWN.SLOTS"},
      {"X.Y:c8:i1:eq1", "X.Y@cmask\\=8\\,inv\\=1\\,eq\\=1@"},
  };
  for (const auto& one : cases)
    EXPECT_EQ(trees::kernel_event(one.theirs).value_or("error"), one.ours);
}

TEST(WithoutPercent, TakesTheFactorOfAProduct) {
  EXPECT_EQ(trees::without_percent("100 * a / b"), "a / b");
  EXPECT_EQ(trees::without_percent("100 * (a + b)"), "(a + b)");
  EXPECT_EQ(trees::without_percent("100 * topdown\\-x"), "topdown\\-x");
  EXPECT_EQ(trees::without_percent("100 * a + b"), "(100 * a + b) / 100");
  EXPECT_EQ(trees::without_percent("100 * (a) if b else c"), "(100 * (a) if b else c) / 100");
}

constexpr const char* kArm = R"json({
  "document": {"timestamp": "09 Apr 13:13:32 2026"},
  "product_configuration": {"product_name": "Neoverse X", "part_num": "0xd99",
    "major_revision": "0", "minor_revision": "0", "implementer": "0x41",
    "architecture": "armv9.0"},
  "events": {"CPU_CYCLES": {"code": "0x11"}, "STALL": {"code": "0x24"}},
  "metrics": {
    "bound": {"title": "Bound", "formula": "100 * (STALL / CPU_CYCLES)", "description": "A\nb.",
      "units": "percent of slots", "events": ["STALL", "CPU_CYCLES"], "sample_events": ["STALL"]},
    "mem": {"title": "Mem", "formula": "STALL", "description": "C", "units": "cycles",
      "events": ["STALL"], "sample_events": []},
    "ratio": {"title": "R", "formula": "STALL / CPU_CYCLES", "description": "D", "units": "per x",
      "events": ["STALL", "CPU_CYCLES"], "sample_events": []}},
  "groups": {"function": {"Stall": {"title": "s", "events": ["STALL"]}},
    "metrics": {"Topdown_L1": {"title": "T", "description": "First. Of all.", "metrics": ["bound"]},
                "Effect": {"title": "E", "description": "More", "metrics": ["ratio"]}}},
  "methodologies": {"topdown_methodology": {"title": "t", "description": "d",
    "decision_tree": {"root_nodes": ["bound"], "metrics": [
      {"next_items": ["mem", "Effect"], "name": "bound", "group": "Topdown_L1"},
      {"name": "mem", "group": "Topdown_L1", "next_items": ["bound"], "sample_events": []}]}}}})json";

/// `count` times the text, with commas between.
std::string repeated(const std::string& text, int count) {
  std::string out = text;
  for (int i = 1; i < count; ++i) out += "," + text;
  return out;
}

// RFC 8259: what a key that stands twice means is the reader's choice; the last one counts here.
TEST(IntelMetrics, OfAThresholdThatStandsTwiceTheLastOneCounts) {
  const IntelTree tree(metric("m", "a", "A.B",
                              R"json("Threshold": {"Formula": "q > 1", "Formula": "metric_m > 2",
                   "Formula": "metric_m > 3"},)json"));
  EXPECT_EQ(tree.said(), Strings());
  EXPECT_EQ(tree.text(tree.metric().threshold), "m > 3");
}

TEST(IntelMetrics, TheFirstEventOfTheChasNamesTheirPmus) {
  const IntelTree tree(R"json({"MetricName": "m", "LegacyName": "metric_m", "Level": 1,
    "Events": [{"Name": "A.B", "Alias": "a"}, {"Name": "UNC_CHA_X:c1", "Alias": "b"},
               {"Name": "UNC_CHA_Y", "Alias": "c"}],
    "Constants": [{"Name": "CHAS_PER_SOCKET", "Alias": "d"},
                  {"Name": "CHAS_PER_SOCKET", "Alias": "e"}],
    "Formula": "a / d / e", "Category": "MPI"})json");
  EXPECT_EQ(tree.said(), Strings());
  EXPECT_EQ(tree.text(tree.metric().expr),
            "A.B / source_count(UNC_CHA_X) / source_count(UNC_CHA_X)");
}

TEST(ArmMetrics, GroupsOfManyThatStandBelowManyAreLeftOut) {
  const auto file_of = [](int count) {
    return R"({"product_configuration": {"product_name": "Neoverse X", "part_num": "0xd99",
    "major_revision": "0", "minor_revision": "0", "implementer": "0x41",
    "architecture": "armv9.0"},
  "events": {"STALL": {"code": "0x24"}},
  "metrics": {"m": {"title": "M", "formula": "STALL", "units": "cycles"}},
  "groups": {"metrics": {"G": {"description": "D", "metrics": [)" +
           repeated("\"m\"", count) + R"(]}}},
  "methodologies": {"t": {"decision_tree": {"root_nodes": ["m"], "metrics": [
    {"name": "m", "next_items": [)" +
           repeated("\"G\"", count) + "]}]}}}}";
  };
  for (const auto& [count, said] : {std::pair{100, 0u}, {2000, 1u}}) {
    const test::TempDir dir{{"data/pmu/cpu/neoverse/x.json", file_of(count)}};
    trees::Diagnostics diagnostics;
    const Strings roots{dir.path()};
    const auto trees = group_by_architecture(roots, diagnostics);
    const tables::TableArrays arrays = build_tables(trees.at(0), diagnostics);
    EXPECT_EQ(arrays.view().text(arrays.view().metrics[0].group),
              std::string_view("G;TopdownL1;m_group"));
    ASSERT_EQ(diagnostics.all().size(), said) << count;
    for (const trees::Diagnostic& one : diagnostics.all())
      EXPECT_EQ(one.message, "too many metrics below others; the rest is left out");
  }
}

TEST(ArmMetrics, HaveGroupsAndLevelsOfTheMethodology) {
  const test::TempDir dir{{"data/pmu/cpu/neoverse/x.json", kArm}};
  trees::Diagnostics diagnostics;
  const Strings roots{dir.path()};
  const auto trees = group_by_architecture(roots, diagnostics);
  const tables::TableArrays arrays = build_tables(trees.at(0), diagnostics);
  const tables::ArchTables view = arrays.view();
  Strings metrics;
  for (const tables::Metric& one : view.metrics)
    metrics.push_back(std::string(view.text(one.name)) + " | " + std::string(view.text(one.expr)) +
                      " | " + std::string(view.text(one.group)) + " | " +
                      std::string(view.text(one.unit)) + " | " +
                      std::string(view.text(one.sample)) + " | " + std::to_string(one.share_of));
  EXPECT_EQ(metrics,
            (Strings{"bound | 100 * (STALL / CPU_CYCLES) | TopdownL1;Topdown_L1;mem_group | "
                     "1percent of slots | STALL | 1",
                     "mem | STALL | TopdownL2;bound_group | 1cycles |  | 0",
                     "ratio | STALL / CPU_CYCLES | Effect;bound_group | 1per x |  | 0"}));
  Strings groups;
  for (const tables::MetricGroup& group : view.metric_groups)
    groups.push_back(std::string(view.text(group.name)) + ": " +
                     std::string(view.text(group.desc)));
  EXPECT_EQ(groups, (Strings{"Effect: More", "Topdown_L1: First"}));
  EXPECT_TRUE(diagnostics.all().empty());
}

}  // namespace
}  // namespace evname::compiler
