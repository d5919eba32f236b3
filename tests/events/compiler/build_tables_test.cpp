// Trees of a few files: the resulting tables, and the reports.
#include <fmt/format.h>

#include <functional>

#include "tree_fixture.hpp"

namespace evname::compiler {
namespace {

class Tables : public TreeTest {};

const tables::Event& only_event(const tables::TableArrays& arrays) { return arrays.events.at(0); }

TEST_F(Tables, UnitsBecomePmus) {
  topic(R"([{"EventName":"A"},{"EventName":"B","Unit":"iMC"},{"EventName":"C","Unit":"CBO"},
            {"EventName":"D","Unit":"cbo"},{"EventName":"E","Unit":"hisi_sccl,ddrc"},
            {"EventName":"F","Unit":"L3PMC"},{"EventName":"G","Unit":"CPU-M-CF"}])");
  EXPECT_EQ(rows(), (Strings{"amd_l3 f event=0", "cpum_cf g event=0", "default_core a event=0",
                             "hisi_sccl,ddrc e event=0", "uncore_cbo d event=0",
                             "uncore_cbox c event=0", "uncore_imc b event=0"}));
}

TEST_F(Tables, ReferencesTakeTheStandardEncodingAndKeepTheirOwnTexts) {
  dir_.write(
      "a/standard.json",
      R"([{"EventName":"L3_CACHE_RD","EventCode":"0x40","Unit":"iMC","BriefDescription":"std.",
                  "ScaleUnit":"64Bytes","PublicDescription":"All of std.","Errata":"E1"},
          {"EventName":"BARE","EventCode":"0x41","BriefDescription":"Bare."}])");
  topic(R"([{"ArchStdEvent":"l3_cache_rd","EventCode":"0x99","BriefDescription":"own."},
            {"ArchStdEvent":"bare"}])");
  EXPECT_EQ(rows(),
            (Strings{"default_core bare event=0x41", "default_core l3_cache_rd event=0x40"}));
  const tables::TableArrays& arrays = arrays_.front();
  const auto view = arrays.view();
  const auto& bare = arrays.events[tables::event_of(arrays.entries[0])];
  EXPECT_EQ(view.text(bare.desc), "Bare");
  EXPECT_EQ(bare.long_desc, 0u);  // nothing to add
  const auto& event = arrays.events[tables::event_of(arrays.entries[1])];
  EXPECT_EQ(view.text(event.desc), "own");
  EXPECT_EQ(view.text(event.long_desc), "All of std");
  EXPECT_EQ(view.text(view.traits_of(event).errata), "E1");
  EXPECT_EQ(view.text(view.traits_of(event).scale_unit), "64Bytes");
  EXPECT_EQ(view.text(view.traits_of(event).topic), "topic");
}

TEST_F(Tables, ReferencesAreWhatTheStandardEventOrTheySayTheyAre) {
  dir_.write("a/standard.json",
             R"([{"EventName":"A","Deprecated":"1"},{"EventName":"B","PerPkg":"1"}])");
  topic(R"([{"ArchStdEvent":"A"},{"ArchStdEvent":"B","Deprecated":"1"}])");
  build();
  const tables::TableArrays& arrays = arrays_.front();
  const auto flags = [&](std::size_t i) {
    return arrays.events[tables::event_of(arrays.entries[i])].flags;
  };
  EXPECT_EQ(flags(0), tables::kDeprecated);
  EXPECT_EQ(flags(1), tables::kDeprecated | tables::kPerPkg);
}

TEST_F(Tables, StandardEventsAreAModelOfTheirOwn) {
  dir_.write("a/std.json",
             R"([{"EventName":"X","EventCode":"0x40"},{"MetricName":"M","MetricExpr":"1"}])");
  topic(R"([{"EventName":"Y"}])");
  EXPECT_EQ(rows("standard"), Strings{"default_core x event=0x40"});
}

TEST_F(Tables, AReferenceToNothingIsAnError) {
  topic("[\n{\"ArchStdEvent\":\"NONE\"}]");
  build();
  EXPECT_EQ(said(), Strings{"topic.json:2: error: ArchStdEvent: 'NONE' is not a standard event of "
                            "this architecture"});
}

TEST_F(Tables, AFileThatEndsWithinACharacterIsAnError) {
  topic("[{\"EventName\":\"\xf0");
  build();
  ASSERT_EQ(said().size(), 1u);
  EXPECT_NE(said()[0].find("not valid JSON"), std::string::npos);
}

TEST_F(Tables, DescriptionsEndWithoutAFullStop) {
  struct Case {
    const char* entry;
    const char* brief;
    const char* full;
  };
  const Case cases[] = {
      // expected texts: what jevents.py makes of the same entries
      {R"("BriefDescription":"Hello..")", "Hello.", ""},
      {R"("BriefDescription":"Hello.  ","PublicDescription":"Long.")", "Hello", "Long"},
      // but without the remarks that it glues to them
      {R"("BriefDescription":"B.","PublicDescription":"L.","Errata":"X1","PEBS":"1")", "B", "L"},
      {R"("BriefDescription":"B.","Data_LA":"1","PEBS":"2")", "B", ""},
  };
  for (const Case& c : cases) {
    topic("[{\"EventName\":\"E\"," + std::string(c.entry) + "}]");
    const auto view = build().view();
    const auto& event = only_event(arrays_.front());
    EXPECT_EQ(view.text(event.desc), c.brief) << c.entry;
    EXPECT_EQ(view.text(event.long_desc), c.full) << c.entry;
  }
}

TEST_F(Tables, ErrataAndPrecisionAreFields) {
  using namespace tables;
  struct Case {
    const char* entry;
    int flags;
    const char* errata;
  };
  // Keys and values of Intel's perfmon, whose files also state PEBS and Data_LA as "0".
  const Case cases[] = {
      {R"("EventCode":"1")", 0, ""},
      {R"("PEBS":"0","Data_LA":"0")", 0, ""},
      {R"("PEBS":"1","Errata":"SKL091, SKL044")", kPrecise, "SKL091, SKL044"},
      {R"("PEBS":"2","Data_LA":"1")", kPrecise | kMustBePrecise | kPreciseAddress, ""},
      {R"("Deprecated":"1","PerPkg":"1")", kDeprecated | kPerPkg, ""},
  };
  for (const Case& c : cases) {
    topic("[{\"EventName\":\"E\"," + std::string(c.entry) + "}]");
    const auto view = build().view();
    const auto& event = only_event(arrays_.front());
    EXPECT_EQ(event.flags, c.flags) << c.entry;
    EXPECT_EQ(view.text(view.traits_of(event).errata), c.errata) << c.entry;
  }
}

TEST_F(Tables, DuplicateNamesOnOnePmuAreReportedAndTheFirstCounts) {
  topic(
      "[{\"EventName\":\"A\",\"EventCode\":\"1\"},\n{\"EventName\":\"a\",\"EventCode\":\"2\"},\n"
      "{\"EventName\":\"a\",\"Unit\":\"CHA\",\"EventCode\":\"3\"}]");
  EXPECT_EQ(rows(), (Strings{"default_core a event=1", "uncore_cha a event=3"}));
  ASSERT_EQ(said().size(), 1u);
  EXPECT_TRUE(said()[0].starts_with(
      "topic.json:2: warning: a: EventName: stands twice on PMU default_core"))
      << said()[0];
}

/// `count` entries; `of` makes each from its number.
std::string array_of(std::size_t count, const std::function<std::string(std::size_t)>& of) {
  std::string out = "[";
  for (std::size_t i = 0; i < count; ++i) out += (i == 0 ? "" : ",\n") + of(i);
  return out + "]";
}

// Indexes of terms, symbols and metrics, and counts of an entry, have 16 bits.
TEST_F(Tables, WhatTheTablesHaveNoRoomForIsLeftOutAndToldOnce) {
  topic(array_of(40000, [](std::size_t i) {
    return fmt::format(R"({{"EventName":"E{:05}","EventCode":"{}","SampleAfterValue":"{}"}})", i,
                       16 + i, 100000 + i);
  }));
  const auto all = rows();
  ASSERT_EQ(all.size(), 32768u);  // two different terms each
  for (std::size_t i = 0; i < all.size(); ++i)
    ASSERT_EQ(all[i],
              fmt::format("default_core e{:05} event={:#x},period={}", i, 16 + i, 100000 + i));
  ASSERT_EQ(said(), Strings{"topic.json:32769: error: e32768: EventName: left out, and 7231 "
                            "after it: no room for so many different terms"});
}

TEST_F(Tables, AnEntryOfMoreThanAllTermsIsLeftOut) {
  std::string terms;
  for (int i = 0; i < 65535; ++i) terms += ",a";
  topic("[{\"EventName\":\"E\",\"Filter\":\"" + terms.substr(1) + "\"},{\"EventName\":\"F\"}]");
  EXPECT_EQ(rows(), Strings{"default_core f event=0"});
  ASSERT_EQ(said().size(), 1u);
  EXPECT_NE(said()[0].find("no room for so many terms of one event"), std::string::npos)
      << said()[0];
}

TEST_F(Tables, MetricsThatTheTablesHaveNoRoomForAreLeftOut) {
  struct Case {
    std::string json;
    std::size_t kept;
    const char* lack;
    const char* next_file = "[]";
  };
  const Case cases[] = {
      {array_of(65536,
                [](std::size_t i) {
                  return fmt::format(R"({{"MetricName":"M{}","MetricExpr":"1"}})", i);
                }),
       65536, "different metrics", R"([{"MetricName":"N","MetricExpr":"1"}])"},
      {array_of(65,
                [](std::size_t i) {
                  std::string sum;
                  for (std::size_t k = 0; k < 1024; ++k) sum += fmt::format("+E{}", i * 1024 + k);
                  return fmt::format(R"({{"MetricName":"M{}","MetricExpr":"{}"}})", i,
                                     sum.substr(1));
                }),
       64, "names in expressions"},
  };
  for (const Case& c : cases) {
    topic(c.json);
    dir_.write("a/m/topic2.json", c.next_file);
    EXPECT_EQ(build().metric_entries.size(), c.kept) << c.lack;
    ASSERT_EQ(said().size(), 1u) << c.lack;
    EXPECT_NE(said()[0].find(c.lack), std::string::npos) << said()[0];
  }
}

TEST_F(Tables, MisspelledAndUnknownKeysAreReported) {
  topic(R"([{"EventName":"A","PublicDescrition":"x","BriefDescript6ion":"y","Nonsense":"z"}])");
  build();
  EXPECT_EQ(said(), (Strings{"topic.json:1: warning: a: PublicDescrition: unknown key; is "
                             "PublicDescription meant?",
                             "topic.json:1: warning: a: BriefDescript6ion: unknown key; is "
                             "BriefDescription meant?",
                             "topic.json:1: warning: a: Nonsense: unknown key"}));
}

TEST_F(Tables, AModelThatNoRowMapsToIsReported) {
  topic(R"([{"EventName":"A"}])");
  dir_.write("a/orphan/x.json", R"([{"EventName":"B"}])");
  build();
  EXPECT_EQ(said(), Strings{"orphan:1: warning: no row of mapfile.csv leads to this model"});
}

TEST_F(Tables, SystemEventsGoToATableOfTheirOwnWhateverTheFileIsCalled) {
  // jevents puts zz.json of the model into the sys table, because it sorts after "sys".
  dir_.write("a/m/sys/s.json", R"([{"EventName":"S","Unit":"sys_pmu","Compat":"43.*"}])");
  dir_.write("a/m/zz.json", R"([{"EventName":"Z"}])");
  EXPECT_EQ(rows("m"), Strings{"default_core z event=0"});
  EXPECT_EQ(rows("m/sys"), Strings{"uncore_sys_pmu s event=0"});
}

TEST_F(Tables, OnlyJsonFilesUpToFourLevelsDeepAreRead) {
  dir_.write("a/m/topic.JSON", "not json");
  dir_.write("a/m/README", "not json");
  dir_.write("a/v/w/x/y/ok.json", R"([{"EventName":"DEEP"}])");
  dir_.write("a/v/w/x/y/z/no.json", R"([{"EventName":"TOO_DEEP"}])");
  EXPECT_EQ(rows("v/w/x/y"), Strings{});
  EXPECT_EQ(rows("v/w/x/y/z"), Strings{});
  dir_.write("a/m/ok.json", R"([{"EventName":"A"}])");
  EXPECT_EQ(rows("m"), Strings{"default_core a event=0"});
}

TEST_F(Tables, ALaterTreeOverridesEventsAndMapRowsOfAnEarlierOne) {
  topic(R"([{"EventName":"A","EventCode":"1"},{"EventName":"B","EventCode":"2"}])");
  test::TempDir later;
  later.write("a/mapfile.csv", "heading\nid-.,v2,n,core\n");
  later.write("a/m/more.json", R"([{"EventName":"B","EventCode":"3"},{"EventName":"C"}])");
  later.write("a/n/x.json", R"([{"EventName":"N"}])");
  const std::vector<std::string> roots{dir_.path(), later.path()};
  const auto groups = group_by_architecture(roots, diagnostics_);
  ASSERT_EQ(groups.size(), 1u);
  const tables::TableArrays arrays = build_tables(groups[0], diagnostics_);
  const auto view = arrays.view();
  const tables::ModelView model{view, &view.models[0]};
  const auto& core = model.pmus()[0];
  ASSERT_EQ(core.count, 3u);
  EXPECT_EQ(tables::terms_text(view, model.event(core, 1)), "event=3");
  EXPECT_EQ(view.text(view.map_rows[0].pattern), "id-.");
  EXPECT_EQ(view.text(view.map_rows[1].pattern), "id-m");
  EXPECT_EQ(said(), Strings{});
}

// Linux 7.3, util/metricgroup.c: a reference in an expression is to the metric of exactly that
// name.
TEST_F(Tables, AMetricThatNamesAnEventOfItsOwnNameInAnotherCaseDoesNotNeedItself) {
  topic(R"([{"MetricName":"IPC","MetricExpr":"ipc / 2"},{"MetricName":"a","MetricExpr":"1 / a"}])");
  build();
  EXPECT_EQ(said(), Strings{"topic.json:1: warning: a: MetricExpr: the metric needs itself, by way "
                            "of a"});
}

TEST_F(Tables, MetricsAndTheirGroupsAreKeptAsWritten) {
  dir_.write("a/m/x-metrics.json",
             R"([{"MetricName":"IPC","MetricExpr":"a / b","MetricGroup":"G1;G2","ScaleUnit":"1x",
                  "MetricThreshold":"IPC > 1","MetricConstraint":"NO_NMI_WATCHDOG"},
                 {"MetricName":"BAD"}])");
  dir_.write("a/m/metricgroups.json", R"({"G1":"first group"})");
  const auto view = build().view();
  ASSERT_EQ(view.metrics.size(), 1u);
  EXPECT_EQ(view.text(view.metrics[0].expr), "a / b");
  EXPECT_EQ(view.text(view.metrics[0].threshold), "IPC > 1");
  EXPECT_EQ(view.metrics[0].constraint, 2);
  ASSERT_EQ(view.metric_groups.size(), 1u);
  EXPECT_EQ(view.text(view.metric_groups[0].desc), "first group");
  EXPECT_EQ(said(),
            Strings{"x-metrics.json:3: error: BAD: MetricExpr: a metric without an expression"});
}

TEST_F(Tables, EveryNameIsFoundThroughTheHashInAnyCase) {
  std::string json = "[";
  for (int i = 0; i < 500; ++i) json += "{\"EventName\":\"EV" + std::to_string(i) + ".X\"},";
  json.back() = ']';
  topic(json);
  const auto view = build().view();
  const tables::ModelView model{view, &view.models[0]};
  for (int i = 0; i < 500; ++i) {
    int hits = 0;
    tables::find_event(model, "Ev" + std::to_string(i) + ".x", [&](tables::EventHit) { ++hits; });
    EXPECT_EQ(hits, 1) << i;
  }
  tables::find_event(model, "absent", [&](tables::EventHit) { ADD_FAILURE(); });
}

struct BadJson {
  const char* text;
  const char* message;
};

TEST_F(Tables, DamagedJsonIsAnErrorAndWhatStandsBeforeItIsKept) {
  const BadJson cases[] = {
      {"[{\"EventName\":\"A\"},\n{\"EventName\":]", "topic.json:2: error: not valid JSON"},
      {"{\"EventName\":\"A\"}", "topic.json:1: error: an object where an array"},
      {"", "topic.json:1: error: not valid JSON"},
      {"\xef\xbb\xbf[]", "topic.json:1: error: not valid JSON"},
      {"[{\"EventName\":\"\xff\"}]", "topic.json:1: error: not valid JSON"},
  };
  for (const BadJson& c : cases) {
    topic(c.text);
    build();
    ASSERT_FALSE(said().empty()) << c.text;
    EXPECT_TRUE(said()[0].starts_with(c.message)) << said()[0];
  }
  topic(cases[0].text);
  EXPECT_EQ(rows(), Strings{"default_core a event=0"});
}

// The code of an entry that the file ends in would be half of its own: 0xd1 instead of 0x20d1.
TEST_F(Tables, AnEntryThatTheFileEndsInIsLeftOut) {
  struct Case {
    std::string_view rows, lost;
  };
  for (const auto& [before, after] : {std::pair{"[", "]"}, {"{\"Header\":{},\"Events\":[", "]}"}})
    for (const Case& c : {Case{R"({"EventName":"A"},{"EventName":"B","EventCode":"0xd1")", "B"},
                          Case{R"({"EventName":"A"},{"EventName":"B","EventCode":"0xd1",)", "B"},
                          Case{R"({"EventName":"A"},{"EventName":"B","EventCode":"0xd)", "B"},
                          Case{R"({"EventName":"A"},{"EventName":"B","EventCode":1)", "B"},
                          Case{R"({"EventName":"A"},{"MetricName":"M","MetricExpr":"a")", "M"},
                          Case{R"({"EventName":"A"},{)", "the entry"},
                          Case{R"({"EventName":"A"},)", ""}, Case{R"({"EventName":"A"})", ""}}) {
      diagnostics_ = {};
      topic(std::string(before) + std::string(c.rows));
      const auto arrays = build();
      EXPECT_EQ(arrays.events.size(), 1u) << c.rows;
      EXPECT_TRUE(arrays.metrics.empty()) << c.rows;
      ASSERT_EQ(said().size(), 1u) << c.rows;
      EXPECT_TRUE(said()[0].starts_with("topic.json:1: error: not valid JSON: ")) << said()[0];
      const std::string end = c.lost.empty() ? "" : "; " + std::string(c.lost) + " is left out";
      EXPECT_TRUE(said()[0].ends_with(end)) << said()[0];
      EXPECT_EQ(said()[0].find("left out") == std::string::npos, c.lost.empty()) << said()[0];
    }
}

TEST_F(Tables, DeepNestingIsRefusedNotRecursedInto) {
  topic("[{\"EventName\":\"A\",\"x\":" + std::string(100000, '[') + "}]");
  build();
  EXPECT_TRUE(said().at(0).starts_with("topic.json:1: error: not valid JSON"));
}

}  // namespace
}  // namespace evname::compiler
