// Metrics of small trees: what they compile to, and what is said of those that don't.
#include "events/expression/evaluate.hpp"
#include "events/tables/model_view.hpp"
#include "tree_fixture.hpp"

namespace evname::compiler {
namespace {

class Metrics : public TreeTest {
 protected:
  const tables::ArchTables& view() { return view_ = build().view(); }

  /// Of the program with 2, 3, 4 … for its symbols, in order of appearance.
  double value_of(std::uint32_t program) const {
    const tables::Program& row = view_.programs[program];
    std::vector<double> values;
    for (std::size_t i = 0; i < row.symbol_count; ++i) values.push_back(2.0 + i);
    return expression::evaluate(tables::code_of(view_, row), values).value_or(-1);
  }

  /// "name=expression" of the model's metrics, in table order.
  Strings metrics() const {
    Strings out;
    for (const auto index : tables::metrics_of({view_, &view_.models[0]})) {
      const tables::Metric& metric = view_.metrics[index];
      out.push_back(std::string(view_.text(metric.name)) + "=" +
                    std::string(view_.text(metric.expr)));
    }
    return out;
  }

  Strings symbols() const {
    Strings out;
    for (const tables::Symbol& symbol : view_.symbols)
      out.emplace_back(tables::name_of(view_, symbol));
    return out;
  }

  tables::ArchTables view_;
};

TEST_F(Metrics, AreComputedWithoutTheirText) {
  topic(R"([{"MetricName":"M","MetricExpr":"64 * a / (b - 0.5) if #smt_on < 9 else NaN",
             "MetricThreshold":"M > 1.5"}])");
  const tables::Metric& metric = view().metrics[0];
  EXPECT_DOUBLE_EQ(value_of(metric.expr_program), 64 * 2 / (3 - 0.5));
  EXPECT_DOUBLE_EQ(value_of(metric.threshold_program), 1);
  EXPECT_EQ(symbols(), (Strings{"a", "b", "#smt_on", "M"}));
}

TEST_F(Metrics, NamesAreKeptWithoutTheEscapesOfExpressions) {
  topic(R"([{"MetricName":"M","MetricExpr":"cpu@event\\=0x3c\\,cmask\\=1@ + l1d\\-loads"}])");
  view();
  EXPECT_EQ(symbols(), (Strings{"cpu@event=0x3c,cmask=1@", "l1d-loads"}));
}

TEST_F(Metrics, WithoutAThresholdHaveTheEmptyProgram) {
  topic(R"([{"MetricName":"M","MetricExpr":"1"}])");
  EXPECT_EQ(view().metrics[0].threshold_program, 0u);
  EXPECT_EQ(view_.programs[0].step_count, 0u);
}

TEST_F(Metrics, ThatAreBuiltAlikeShareWhatTheyAreMadeOf) {
  dir_.write("a/mapfile.csv", "heading\nid-m,v1,m,core\nid-n,v1,n,core\n");
  const char* both = R"([{"MetricName":"M","MetricExpr":"a / b"},
                         {"MetricName":"N","MetricExpr":"c / d"}])";
  topic(both);
  dir_.write("a/n/topic.json", both);
  EXPECT_EQ(view().metrics.size(), 2u);
  EXPECT_EQ(view_.metric_entries.size(), 4u);
  EXPECT_EQ(view_.steps.size(), 3u);  // a b /
  EXPECT_NE(view_.metrics[0].expr_program, view_.metrics[1].expr_program);
}

TEST_F(Metrics, ThatDoNotParseAreErrorsWithTheirPlace) {
  topic(
      "[{\"EventName\":\"E\"},\n"
      " {\"MetricName\":\"BAD\",\n"
      "  \"MetricExpr\":\"a + * b\"},\n"
      " {\"MetricName\":\"WORSE\",\"MetricExpr\":\"a\",\n"
      "  \"MetricThreshold\":\"WORSE > #smt_om\"}]");
  view();
  EXPECT_EQ(said(), (Strings{"topic.json:3: error: BAD: MetricExpr: metric expression, column 5: "
                             "expected a number, an event or '(' instead of '*'",
                             "topic.json:5: error: WORSE: MetricThreshold: metric expression, "
                             "column 9: unknown literal '#smt_om' (did you mean '#smt_on'?)"}));
  EXPECT_EQ(metrics(), Strings{"WORSE=a"});
}

TEST_F(Metrics, ThatAreTooLongForTheTablesAreErrors) {
  std::string sum = "1";
  for (int i = 0; i < 40000; ++i) sum += "+1";
  topic("[{\"MetricName\":\"M\",\"MetricExpr\":\"" + sum + "\"}]");
  view();
  EXPECT_EQ(said(), Strings{"topic.json:1: error: M: MetricExpr: the expression is too long"});
}

TEST_F(Metrics, AThresholdOfSomethingElseIsDoubtful) {
  topic(R"([{"MetricName":"M","MetricExpr":"a","MetricThreshold":"N > 1"}])");
  view();
  EXPECT_EQ(said(), Strings{"topic.json:1: warning: M: MetricThreshold: does not name its own "
                            "metric"});
}

TEST_F(Metrics, ReferencesToStandardMetricsTakeWhatTheyLack) {
  dir_.write("a/std.json", R"([{"MetricName":"ipc","MetricExpr":"i / c","MetricGroup":"G"},
                               {"MetricName":"cpi","MetricExpr":"c / i"}])");
  topic(R"([{"ArchStdEvent":"ipc"},{"ArchStdEvent":"CPI","MetricExpr":"c / i * 2"}])");
  view();
  EXPECT_EQ(metrics(), (Strings{"cpi=c / i * 2", "ipc=i / c"}));
  EXPECT_EQ(view_.text(view_.metrics[1].group), "G");
}

// Keys of the kernel's files: tools/perf/pmu-events/jevents.py, "_metric_table" and its readers.
TEST_F(Metrics, KeepAllThatTheySayAndAReferenceTakesIt) {
  const std::string all =
      R"("MetricExpr":"a","MetricGroup":"G;H","MetricThreshold":"m > 1","ScaleUnit":"100%",
         "BriefDescription":"Brief","PublicDescription":"Longer","MetricgroupNoGroup":"H",
         "DefaultMetricgroupName":"D","AggregationMode":"PerCore","MetricConstraint":"NO_GROUP_EVENTS")";
  for (const bool by_reference : {false, true}) {
    if (by_reference) {
      dir_.write("a/std.json", "[{\"MetricName\":\"m\"," + all + "}]");
      topic(R"([{"ArchStdEvent":"m"}])");
    } else {
      topic("[{\"MetricName\":\"m\"," + all + "}]");
    }
    view();
    ASSERT_EQ(view_.metrics.size(), 1u) << by_reference;
    const tables::Metric& m = view_.metrics[0];
    EXPECT_EQ(view_.text(m.name), "m");
    EXPECT_EQ(view_.text(m.expr), "a");
    EXPECT_EQ(view_.text(m.group), "G;H");
    EXPECT_EQ(view_.text(m.threshold), "m > 1");
    EXPECT_EQ(view_.text(m.unit), "100%");
    EXPECT_EQ(view_.text(m.desc), "Brief");
    EXPECT_EQ(view_.text(m.long_desc), "Longer");
    EXPECT_EQ(view_.text(m.no_group), "H");
    EXPECT_EQ(view_.text(m.default_group), "D");
    EXPECT_EQ(m.aggregation, 2);  // PerChip is 1
    EXPECT_EQ(m.constraint, 1);
    EXPECT_EQ(value_of(m.threshold_program), 1);  // of a symbol that is 2
  }
}

TEST_F(Metrics, ShowTheirEventsIfTheySaySo) {
  topic(R"([{"MetricName":"A","MetricExpr":"1"},
            {"MetricName":"B","MetricExpr":"1","DefaultShowEvents":"1"}])");
  view();
  EXPECT_EQ(view_.metrics[0].show_events, 0);
  EXPECT_EQ(view_.metrics[1].show_events, 1);
}

TEST_F(Metrics, OfALaterTreeReplaceThoseOfTheSameName) {
  topic(R"([{"MetricName":"M","MetricExpr":"1"},{"MetricName":"K","MetricExpr":"2"},
            {"MetricName":"M","MetricExpr":"1 + 1"}])");
  const test::TempDir later({{"a/m/t.json", R"([{"MetricName":"M","MetricExpr":"3"}])"}});
  const std::vector<std::string> roots{dir_.path(), later.path()};
  const auto groups = group_by_architecture(roots, diagnostics_);
  const tables::TableArrays arrays = build_tables(groups.front(), diagnostics_);
  view_ = arrays.view();
  EXPECT_EQ(metrics(), (Strings{"K=2", "M=3"}));
}

}  // namespace
}  // namespace evname::compiler
