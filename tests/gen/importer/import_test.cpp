#include "importer/import_tree.hpp"

#include <gtest/gtest.h>

#include "importer/own_descriptions.hpp"
#include "support/temp_dir.hpp"

namespace evname::importer {
namespace {

class Import : public testing::Test {
 protected:
  void SetUp() override {
    from_.write("a/mapfile.csv", "# a sentence\n# another\nid-[ab],v1,m,core\n");
    from_.write("a/std.json",
                R"([{"EventName":"STD","EventCode":"0x40","BriefDescription":"theirs"},
                                   {"MetricName":"std_metric","MetricExpr":"1"}])");
    from_.write("a/m/t.json",
                R"([{"BriefDescription":"theirs","UMask":"0x1","EventName":"E","EventCode":"0x2",
                     "Errata":"X1","PublicDescription":"theirs","PublicDescrition":"theirs"},
                    {"ArchStdEvent":"STD","BriefDescription":"theirs"},
                    {"ArchStdEvent":"std_metric","MetricExpr":"2"},
                    {"MetricName":"m","MetricExpr":"E / 2"}])");
    from_.write("a/m/only-metrics.json", R"([{"MetricName":"x","MetricExpr":"1"}])");
    from_.write("a/m/metricgroups.json", R"({"G":"theirs"})");
  }

  TreeReport import() {
    diagnostics_ = {};
    return import_tree({.from = {from_.path()}, .into = into_.path()}, diagnostics_);
  }

  test::TempDir from_, into_;
  trees::Diagnostics diagnostics_;
};

TEST_F(Import, KeepsFactsOneEventALine) {
  const TreeReport report = import();
  EXPECT_EQ(into_.read("a/m/t.json"),
            "[\n"
            R"({"EventName":"E","EventCode":"0x2","UMask":"0x1","Errata":"X1"},)"
            "\n"
            R"({"ArchStdEvent":"STD"})"
            "\n]\n");
  EXPECT_EQ(into_.read("a/std.json"), "[\n{\"EventName\":\"STD\",\"EventCode\":\"0x40\"}\n]\n");
  EXPECT_EQ(into_.read("a/mapfile.csv"), "CPUID,Version,Directory,Type\nid-[ab],v1,m,core\n");
  EXPECT_FALSE(into_.has("a/m/only-metrics.json"));
  EXPECT_FALSE(into_.has("a/m/metricgroups.json"));
  EXPECT_EQ(report.taken.at("a").events, 1u);
  EXPECT_EQ(report.taken.at("a").references, 1u);
  EXPECT_EQ(report.dropped.at("metrics"), 4u);
  EXPECT_EQ(report.dropped.at("values of the unknown key PublicDescrition"), 1u);
}

TEST_F(Import, ASecondImportChangesNothing) {
  import();
  const TreeReport again = import();
  EXPECT_TRUE(again.written.empty());
  EXPECT_EQ(again.unchanged_files, 3u);
}

TEST_F(Import, CarriesOurDescriptionsWhereTheEncodingIsTheSame) {
  into_.write(
      "descriptions/a/d.json",
      R"([{"EventName":"e","Encodings":"event=0x9 event=0x2,umask=1","BriefDescription":"Ours"},
                  {"EventName":"std","Encodings":"event=0x41","BriefDescription":"Not this"}])");
  const TreeReport report = import();
  EXPECT_NE(into_.read("a/m/t.json").find(R"("BriefDescription":"Ours")"), std::string::npos);
  EXPECT_EQ(into_.read("a/std.json").find("Not this"), std::string::npos);
  EXPECT_EQ(report.unused, (std::vector<std::string>{"a: e default_core event=0x9",
                                                     "a: std default_core event=0x41"}));
}

TEST_F(Import, ARowWithoutEncodingsIsForAllThatHaveNoRowOfTheirOwn) {
  from_.write("a/n/t.json", R"([{"EventName":"E","EventCode":"0x3"},
                                {"EventName":"E","EventCode":"0x2","Unit":"cpu_atom"},
                                {"EventName":"E","EventCode":"0x2","Unit":"iMC"}])");
  into_.write("descriptions/a/d.json", R"([{"EventName":"e","BriefDescription":"All"},
      {"EventName":"e","Encodings":"event=0x2,umask=1","BriefDescription":"One"},
      {"EventName":"e","Unit":"iMC","BriefDescription":"Memory"}])");
  into_.write("descriptions/b/d.json",
              R"([{"EventName":"std","BriefDescription":"Another architecture's"}])");
  const TreeReport report = import();
  const auto count = [](const std::string& text, std::string_view part) {
    return text.find(part) == std::string::npos ? 0 : 1 + (text.rfind(part) != text.find(part));
  };
  EXPECT_EQ(count(into_.read("a/m/t.json"), R"("BriefDescription":"One")"), 1);
  EXPECT_EQ(count(into_.read("a/n/t.json"), R"("BriefDescription":"All")"), 2);
  EXPECT_EQ(count(into_.read("a/n/t.json"), R"("BriefDescription":"Memory")"), 1);
  EXPECT_EQ(into_.read("a/std.json").find("BriefDescription"), std::string::npos);
  EXPECT_TRUE(report.unused.empty());
}

TEST_F(Import, ARowOfSomeModelsComesBeforeTheOthers) {
  from_.write("a/n/t.json", R"([{"EventName":"E","EventCode":"0x2","UMask":"1"},
                                {"EventName":"F","EventCode":"0x3","Unit":"cpu_atom"},
                                {"EventName":"F","EventCode":"0x3","Unit":"cpu_core"}])");
  into_.write("descriptions/a/d.json", R"([{"EventName":"e","BriefDescription":"Others"},
      {"EventName":"e","Models":"x n*","BriefDescription":"Of N"},
      {"EventName":"f","BriefDescription":"Core"},
      {"EventName":"f","Models":"n:cpu_atom","BriefDescription":"Atom"},
      {"EventName":"f","Models":"m","BriefDescription":"None"}])");
  const TreeReport report = import();
  EXPECT_NE(into_.read("a/m/t.json").find("Others"), std::string::npos);
  const std::string n = into_.read("a/n/t.json");
  EXPECT_NE(n.find("Of N"), std::string::npos);
  EXPECT_NE(n.find(R"("Unit":"cpu_atom","BriefDescription":"Atom")"), std::string::npos);
  EXPECT_NE(n.find(R"("Unit":"cpu_core","BriefDescription":"Core")"), std::string::npos);
  EXPECT_EQ(report.unused, std::vector<std::string>{"a: f default_core * of m"});
}

TEST_F(Import, KeepsADescriptionThatSomebodyWroteIntoAModel) {
  into_.write("a/mapfile.csv", "h\n");
  into_.write("a/m/t.json",
              R"([{"EventName":"E","EventCode":"0x2","UMask":"1","BriefDescription":"By hand"}])");
  import();
  EXPECT_NE(into_.read("a/m/t.json").find("By hand"), std::string::npos);
}

TEST_F(Import, RemovesFilesTheSourceNoLongerHasAndLeavesForeignModels) {
  into_.write("a/mapfile.csv", "h\n");
  into_.write("a/m/old.json", R"([{"EventName":"OLD"}])");
  into_.write("a/mine/x.json", R"([{"EventName":"MINE"}])");
  const TreeReport report = import();
  EXPECT_FALSE(into_.has("a/m/old.json"));
  EXPECT_TRUE(into_.has("a/mine/x.json"));
  EXPECT_EQ(report.left, std::vector<std::string>{"a/mine"});
}

TEST_F(Import, KeepsTheMapfileRowsOfModelsThatOnlyWeHave) {
  into_.write("a/mapfile.csv", "h\nid-old,v0,m,core\nid-mine,v1,mine,core\nid-z,,m,core\n");
  import();
  EXPECT_EQ(into_.read("a/mapfile.csv"),
            "CPUID,Version,Directory,Type\nid-[ab],v1,m,core\nid-mine,v1,mine,core\n"
            "id-z,,m,core\n");  // of a model of theirs, but without a version: it is ours
}

TEST_F(Import, ReadsNothingOutsideOfItsTrees) {
  const test::TempDir elsewhere{
      {"a.json", R"([{"EventName":"STRANGE","EventCode":"0x7","BriefDescription":"Strange"}])"}};
  from_.write("a/links/own.json", R"([{"EventName":"OWN","EventCode":"0x5"}])");
  namespace fs = std::filesystem;
  fs::create_symlink(elsewhere.path("a.json"), from_.path("a/links/file.json"));
  fs::create_directory_symlink(elsewhere.path(), from_.path("a/directory"));
  fs::create_symlink(from_.path("a/links/own.json"), from_.path("a/m/inside.json"));
  into_.write("descriptions/a/own.json", "[]");
  fs::create_symlink(elsewhere.path("a.json"), into_.path("descriptions/a/d.json"));
  import();
  EXPECT_EQ(into_.read("a/links/own.json"),
            "[\n{\"EventName\":\"OWN\",\"EventCode\":\"0x5\"}\n]\n");
  EXPECT_EQ(into_.read("a/m/inside.json"), into_.read("a/links/own.json"));
  EXPECT_FALSE(into_.has("a/links/file.json"));
  EXPECT_FALSE(into_.has("a/directory"));
  ASSERT_EQ(diagnostics_.count(trees::Severity::error), 3u);
  for (const trees::Diagnostic& one : diagnostics_.all())
    EXPECT_TRUE(one.message.starts_with("left out: it leads out of /")) << one.message;
}

// The maker's map file names the files.
TEST(ImportOfAVendorsTree, ReadsNoFileAboveIt) {
  const test::TempDir into,
      from{{"perfmon/mapfile.csv",
            "Family-model,Version,Filename,EventType\n"
            "GenuineIntel-6-97,V1,/../above_core.json,core\n"},
           {"above_core.json",
            R"({"Header":{},"Events":[{"EventName":"ABOVE","EventCode":"0x1"}]})"}};
  trees::Diagnostics diagnostics;
  import_tree({.from = {from.path("perfmon")}, .into = into.path()}, diagnostics);
  for (const auto& file : std::filesystem::recursive_directory_iterator(into.path()))
    EXPECT_NE(file.path().extension(), ".json") << file.path();
  EXPECT_FALSE(diagnostics.all().empty());
}

TEST_F(Import, WritesAndRemovesNothingOutsideOfItsTree) {
  const test::TempDir elsewhere{{"old.json", "[{\"EventName\":\"OLD\"}]"}};
  namespace fs = std::filesystem;
  into_.write("a/mapfile.csv", "h\n");
  fs::create_directory_symlink(elsewhere.path(), into_.path("a/m"));
  fs::create_symlink(elsewhere.path("made.json"), into_.path("a/std.json"));
  import();
  EXPECT_EQ(elsewhere.read("old.json"), "[{\"EventName\":\"OLD\"}]");
  EXPECT_FALSE(elsewhere.has("made.json"));
  EXPECT_FALSE(elsewhere.has("t.json"));
  // Those that would be read: old.json and std.json; and written: t.json and std.json.
  EXPECT_EQ(diagnostics_.count(trees::Severity::error), 4u);
  EXPECT_EQ(into_.read("a/mapfile.csv"), "CPUID,Version,Directory,Type\nid-[ab],v1,m,core\n");
}

// The same events in the kernel's files: alderlake of Linux 6.12.
TEST(ImportOfAVendorsTree, GivesTheKernelsForm) {
  const test::TempDir into,
      from{
          {"mapfile.csv",
           "Family-model,Version,Filename,EventType,Core Type,Native Model ID,Core Role Name\n"
           "GenuineIntel-6-97,V1,/ADL/events/alderlake_goldencove_core.json,hybridcore,0x40,,Core\n"
           "GenuineIntel-6-97,V1,/ADL/events/alderlake_uncore.json,uncore,,,\n"},
          {"ADL/events/alderlake_goldencove_core.json",
           R"({"Header":{"Copyright":"theirs"},"Events":[{"EventCode":"0xd1","UMask":"0x20",
           "EventName":"MEM_LOAD_RETIRED.L3_MISS","BriefDescription":"theirs"}]})"},
          {"ADL/events/alderlake_uncore.json",
           R"({"Header":{},"Events":[{"Unit":"iMC","EventCode":"0x00","UMask":"0x20",
           "EventName":"UNC_MC0_RDCAS_COUNT_FREERUN","Counter":"FREERUN"}]})"}};
  into.write("x86/mapfile.csv", "h\nAuthenticAMD-25-.*,v1,amdzen4,core\n");
  trees::Diagnostics diagnostics;
  import_tree({.from = {from.path()}, .into = into.path()}, diagnostics);
  EXPECT_EQ(into.read("x86/alderlake/alderlake_goldencove_core.json"),
            R"([
{"EventName":"MEM_LOAD_RETIRED.L3_MISS","EventCode":"0xd1","UMask":"0x20","Unit":"cpu_core"}
]
)");
  EXPECT_EQ(into.read("x86/alderlake/alderlake_uncore.json"),
            R"([
{"EventName":"UNC_MC0_RDCAS_COUNT_FREERUN","EventCode":"0xff","UMask":"0x20",)"
            R"("Unit":"iMC_free_running_0","Counter":"FREERUN"}
]
)");
  EXPECT_EQ(into.read("x86/mapfile.csv"),
            "CPUID,Version,Directory,Type\nAuthenticAMD-25-.*,v1,amdzen4,core\n"
            "GenuineIntel-6-97,V1,alderlake,core\n");
  EXPECT_TRUE(diagnostics.all().empty());
}

TEST_F(Import, LeavesOurOwnMetricsAlone) {
  const std::string ours =
      R"([{"MetricName":"ipc","MetricExpr":"E / 2","BriefDescription":"Ours"}])";
  into_.write("a/mapfile.csv", "h\n");
  into_.write("a/m/evname-metrics.json", ours);
  into_.write("a/m/metrics.json", ours);
  const TreeReport report = import();
  EXPECT_EQ(into_.read("a/m/evname-metrics.json"), ours);
  EXPECT_FALSE(into_.has("a/m/metrics.json"));
  EXPECT_EQ(report.removed.size(), 1u);
  EXPECT_TRUE(import().removed.empty());
}

TEST(EncodingKey, IgnoresSpellingOrderPeriodAndZeros) {
  EXPECT_EQ(encoding_key("umask=0x20,event=209,period=7,cmask=0"),
            encoding_key("event=0xd1,umask=32"));
  EXPECT_NE(encoding_key("event=0xd1"), encoding_key("event=0xd1,umask=1"));
}

}  // namespace
}  // namespace evname::importer
