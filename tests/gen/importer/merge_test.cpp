// Merging sources that state the same event.
#include <gtest/gtest.h>

#include "importer/import_tree.hpp"
#include "support/temp_dir.hpp"

namespace evname::importer {
namespace {

using Strings = std::vector<std::string>;

/// A kernel's tree called "Linux 7.3" and a perfmon repository, each with one model.
class Merge : public testing::Test {
 protected:
  Merge() { makers_version("V1.20"); }

  void makers_version(const std::string& version) {
    maker_.write(
        "mapfile.csv",
        "Family-model,Version,Filename,EventType,Core Type,Native Model ID,Core Role Name\n"
        "GenuineIntel-6-AD," +
            version + ",/GNR/events/graniterapids_core.json,core,,,\n");
  }
  void kernel(const std::string& rows, const std::string& version = "v1.20") {
    dir_.write("linux-7.3/arch/x86/mapfile.csv",
               "h\nGenuineIntel-6-A[DE]," + version + ",graniterapids,core\n");
    dir_.write("linux-7.3/arch/x86/graniterapids/cache.json", "[" + rows + "]");
  }
  void maker(const std::string& rows) {
    maker_.write("GNR/events/graniterapids_core.json",
                 R"({"Header": {}, "Events": [)" + rows + "]}");
  }
  TreeReport import(bool check = false) {
    ImportOptions options{.from = {dir_.path("linux-7.3/arch"), maker_.path()},
                          .into = into_.path()};
    options.check = check;
    return import_tree(options, diagnostics_);
  }
  std::string cache() const { return into_.read("x86/graniterapids/cache.json"); }

  test::TempDir dir_, maker_, into_;
  trees::Diagnostics diagnostics_;
};

TEST_F(Merge, TheMakersCodeCountsAndSaysWhatTheKernelsLost) {
  // As in Linux 7.3: an extension is lost where the unit mask is zero.
  kernel(R"({"EventName":"X","EventCode":"0x69","PerPkg":"1","Unit":"CHA"})");
  maker(R"({"EventName":"X","EventCode":"0x69","UMask":"0x00","UMaskExt":"0x40","Unit":"CHA"})");
  const TreeReport report = import();
  EXPECT_EQ(cache(),
            "[\n{\"EventName\":\"X\",\"EventCode\":\"0x69\",\"UMaskExt\":\"0x40\","
            "\"Unit\":\"CHA\",\"PerPkg\":\"1\"}\n]\n");
  ASSERT_EQ(report.disagreements.size(), 1u);
  EXPECT_EQ(report.disagreements[0].theirs, "event=0x69");
  EXPECT_EQ(report.disagreements[0].makers, "event=0x69,umask=0x4000");
  EXPECT_EQ(report.disagreements[0].taken, "the maker's");
  EXPECT_EQ(into_.read("x86/sources.csv"),
            "Model,Source\ngraniterapids,Intel perfmon GNR 1.20; Linux 7.3\n");
}

TEST_F(Merge, AnExtensionThatNoFieldHoldsIsPartOfConfig) {
  // The PCU of Jaketown and Ivytown has the bit (Intel's uncore guides, PCU_MSR_PMON_CTL,
  // ev_sel_ext).
  kernel(R"({"EventName":"X","EventCode":"0x17","Unit":"PCU"},{"EventName":"Y","Unit":"PCU"})");
  maker(R"({"EventName":"X","EventCode":"0x17","ExtSel":"1","Unit":"PCU"},
           {"EventName":"Y","EventCode":"0x00","ExtSel":"1","Unit":"PCU"})");
  const TreeReport report = import();
  EXPECT_EQ(cache(),
            "[\n{\"EventName\":\"X\",\"ConfigCode\":\"0x200017\",\"Unit\":\"PCU\"},\n"
            "{\"EventName\":\"Y\",\"ConfigCode\":\"0x200000\",\"Unit\":\"PCU\"}\n]\n");
  ASSERT_EQ(report.disagreements.size(), 2u);
  EXPECT_EQ(report.disagreements[0].makers, "config=0x200017");
  EXPECT_EQ(report.disagreements[0].taken, "the maker's");
  EXPECT_TRUE(import(true).changes.empty());
}

TEST_F(Merge, WhatOnlyTheKernelKnowsStays) {
  const struct {
    const char *kernels, *makers;
  } cases[] = {
      {R"("EventCode":"0x35","UMask":"0x11","Filter":"config1=0x40233","Unit":"CHA")",
       R"("EventCode":"0x35","UMask":"0x11","Filter":"Filter1","Unit":"CHA")"},
      {R"("EventCode":"0x80","Filter":"occ_sel=1","Unit":"PCU")",
       R"("EventCode":"0x80","UMask":"0x40","Unit":"PCU")"},
      {R"("EventCode":"0xFF","Unit":"UBOX")", R"("EventCode":"0x00","UMask":"0x01","Unit":"UBOX")"},
      {R"("EventCode":"0xff","Unit":"UBOX")", R"("EventCode":"0x00","UMask":"0x01","Unit":"UBOX")"},
      {R"("EventCode":"0x47","UMask":"0x1","Unit":"UBOX")",
       R"("EventCode":"0x47","UMask":"0x1","ExtSel":"1","Unit":"UBOX")"},
  };
  for (const auto& c : cases) {
    const std::string row = std::string(R"({"EventName":"X",)") + c.kernels + "}";
    kernel(row);
    maker(std::string(R"({"EventName":"X",)") + c.makers + "}");
    const TreeReport report = import();
    EXPECT_EQ(report.disagreements.size(), 1u) << row;
    EXPECT_TRUE(report.disagreements[0].taken.starts_with("the kernel's")) << row;
    EXPECT_EQ(report.changes.size(), 2u) << "the model and its mapfile are new";
    into_.write("x86/graniterapids/cache.json", "[]");
    into_.write("x86/mapfile.csv", "h\n");
  }
}

// The kernel's counters stay; where it names none, the maker's are taken.
TEST_F(Merge, CountersOfEqualCodesAreTheKernelsIfItHasThem) {
  kernel(
      R"({"EventName":"X","EventCode":"0x1","Counter":"0,1"},{"EventName":"Y","EventCode":"0x2"})");
  maker(R"({"EventName":"X","EventCode":"0x1","Counter":"0,1,2,3"},
           {"EventName":"Y","EventCode":"0x2","Counter":"4,5"})");
  import();
  EXPECT_EQ(cache(),
            "[\n{\"EventName\":\"X\",\"EventCode\":\"0x1\",\"Counter\":\"0,1\"},\n"
            "{\"EventName\":\"Y\",\"EventCode\":\"0x2\",\"Counter\":\"4,5\"}\n]\n");
}

// A tree that says where a model is from knows better than its own version.
TEST_F(Merge, SourcesThatATreeStatesStay) {
  kernel(R"({"EventName":"X","EventCode":"0x1"})");
  dir_.write("linux-7.3/arch/x86/sources.csv", "Model,Source\ngraniterapids,Somebody 1.0; Me 2\n");
  maker(R"({"EventName":"X","EventCode":"0x1"})");
  import();
  EXPECT_EQ(into_.read("x86/sources.csv"),
            "Model,Source\ngraniterapids,Intel perfmon GNR 1.20; Somebody 1.0; Me 2\n");
}

TEST_F(Merge, ALaterVersionInTheKernelCounts) {
  kernel(R"({"EventName":"X","EventCode":"0x2"})", "v1.21");
  maker(R"({"EventName":"X","EventCode":"0x1"})");
  import();
  EXPECT_NE(cache().find("0x2"), std::string::npos);
  makers_version("V1.22");
  import();
  EXPECT_NE(cache().find("0x1"), std::string::npos);
}

TEST_F(Merge, AddsEventsThatOnlyTheMakerHasUnlessTheyAreThereAlready) {
  kernel(R"({"EventName":"A","EventCode":"0x1","Unit":"iMC_free_running"},
            {"EventName":"OCR.B","EventCode":"0xb7","MSRIndex":"0x1a6","MSRValue":"0x10"})");
  maker(R"({"EventName":"A","EventCode":"0x0","Unit":"iMC"},
           {"EventName":"OFFCORE_RESPONSE_0.B","EventCode":"0xb7","MSRIndex":"0x1a6","MSRValue":"0x10"},
           {"EventName":"OCR:request=B","EventCode":"0xb8","MSRIndex":"0x0","MSRValue":"0x0"},
           {"EventName":"N","EventCode":"0x7","UMask":"0x0","Filter":"na","Deprecated":"0"})");
  import();
  EXPECT_EQ(into_.read("x86/graniterapids/other.json"),
            "[\n{\"EventName\":\"N\",\"EventCode\":\"0x7\"}\n]\n");
  EXPECT_FALSE(into_.has("x86/graniterapids/uncore-other.json"));
}

TEST_F(Merge, AMakersTreeAloneIsLaidOverWhatIsThere) {
  kernel(R"({"EventName":"X","EventCode":"0x2"},{"EventName":"Y","EventCode":"0x3"})");
  maker(R"({"EventName":"X","EventCode":"0x2"})");
  import();
  makers_version("V1.21");
  maker(R"({"EventName":"X","EventCode":"0x4"})");
  import_tree({.from = {maker_.path()}, .into = into_.path()}, diagnostics_);
  EXPECT_NE(cache().find(R"("EventCode":"0x4")"), std::string::npos);
  EXPECT_NE(cache().find(R"("EventName":"Y")"), std::string::npos);
  EXPECT_NE(into_.read("x86/sources.csv").find("Intel perfmon GNR 1.21; Linux 7.3\n"),
            std::string::npos);
}

TEST_F(Merge, CheckTellsWhatWouldChangeAndWritesNothing) {
  kernel(R"({"EventName":"X","EventCode":"0x2"},{"EventName":"Y","EventCode":"0x3"})");
  maker(R"({"EventName":"X","EventCode":"0x2"})");
  import();
  EXPECT_TRUE(import(true).changes.empty());
  kernel(R"({"EventName":"X","EventCode":"0x2"},{"EventName":"Z","EventCode":"0x5"})");
  maker(R"({"EventName":"X","EventCode":"0x4"})");
  const std::string before = cache();
  const TreeReport report = import(true);
  EXPECT_EQ(cache(), before);
  ASSERT_EQ(report.changes.size(), 1u);
  EXPECT_EQ(report.changes[0].model, "x86/graniterapids");
  EXPECT_EQ(report.changes[0].lines,
            (Strings{"changed default_core/x: event=0x2 -> event=0x4",
                     "new default_core/z: event=0x5", "gone default_core/y: event=0x3"}));
}

TEST(MergeOfArm, EventsGoToTheModelThatTheKernelHasOfTheCpu) {
  const test::TempDir into,
      kernel{{"arm64/mapfile.csv",
              "h\n0x00000000410fd080,v1,arm/cortex-a57-a72,core\n"
              "0x00000000410fd830,v1,arm/neoverse-v3,core\n"},
             {"arm64/std.json", R"([{"EventName":"CPU_CYCLES","EventCode":"0x11"}])"},
             {"arm64/arm/cortex-a57-a72/c.json", R"([{"EventName":"OWN","EventCode":"0xc0"}])"},
             {"arm64/arm/neoverse-v3/c.json", R"([{"EventName":"OWN","EventCode":"0xc0"}])"}},
      data{{"cpus.json", "{}"},
           {"pmu/a72.json", R"({"timestamp": "Thu Feb  8 21:07:02 2024", "cpuid": "0x41d08",
              "cpu": "Cortex-A72", "architecture": "armv8-a",
              "events": [{"code": 17, "name": "CPU_CYCLES"}, {"code": 193, "name": "OWN"}]})"},
           {"pmu/v3ae.json", R"({"timestamp": "Thu Feb  8 21:07:02 2024", "cpuid": "0x41d83",
              "cpu": "Neoverse V3AE", "architecture": "armv9-a",
              "events": [{"code": 17, "name": "CPU_CYCLES"}]})"}};
  trees::Diagnostics diagnostics;
  import_tree({.from = {kernel.path(), data.path()}, .into = into.path()}, diagnostics);
  EXPECT_EQ(into.read("arm64/arm/cortex-a57-a72/other.json"),
            "[\n{\"ArchStdEvent\":\"CPU_CYCLES\"}\n]\n");
  EXPECT_NE(into.read("arm64/arm/cortex-a57-a72/c.json").find("0xc1"), std::string::npos);
  EXPECT_EQ(into.read("arm64/mapfile.csv"),
            "CPUID,Version,Directory,Type\n0x00000000410fd080,v1,arm/cortex-a57-a72,core\n"
            "0x00000000410fd830,v1,arm/neoverse-v3ae,core\n");
}

}  // namespace
}  // namespace evname::importer
