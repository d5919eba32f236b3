// What an import says, word for word: counts, lists and reasons. Also, which kernel a tree is of.
#include <gtest/gtest.h>

#include "importer/facts.hpp"
#include "importer/import.hpp"
#include "importer/import_tree.hpp"
#include "support/temp_dir.hpp"

namespace evname::importer {
namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

constexpr const char* kMap = "h\nid-[ab],v1,m,core\nid-c,v1,m,core\n";
constexpr const char* kTopic = R"([
    {"EventName":"E","EventCode":"0x2","UMask":"0x1","BriefDescription":"theirs"},
    {"EventName":"F","EventCode":"0x3","MatrixReg":"1","Strange":"1"},
    {"ArchStdEvent":"STD"},{"MetricName":"x","MetricExpr":"1"},{"EventCode":"0x9"}])";
constexpr const char* kStandard = R"([{"EventName":"STD","EventCode":"0x40"}])";

ImportReport import(const test::TempDir& from, const test::TempDir& into, bool check = false) {
  return import_events(
      {.from = {from.path()}, .into = into.path(), .check = check, .report = true});
}

TEST(ImportReport, TellsWhatWasTakenAndWhatBecameOfTheRest) {
  const test::TempDir from{{"a/mapfile.csv", kMap},
                           {"a/std.json", kStandard},
                           {"a/m/t.json", kTopic},
                           {"a/n/t.json", R"([{"EventName":"E","EventCode":"0x5"}])"},
                           {"b/mapfile.csv", "h\n*,v1,m,core\n"},
                           {"b/m/t.json", R"([{"EventName":"B","EventCode":"0x5"}])"}};
  const test::TempDir into{
      {"a/mapfile.csv", "h\n"},
      {"a/m/old.json", R"([{"EventName":"OLD","EventCode":"0x8"}])"},
      {"a/mine/x.json", R"([{"EventName":"MINE","EventCode":"0x8"}])"},
      {"descriptions/a/d.json",
       R"([{"EventName":"e","BriefDescription":"Ours"},{"EventName":"q","BriefDescription":"No"}])"}};
  const ImportReport report = import(from, into);
  EXPECT_EQ(report.architectures, 2u);
  EXPECT_EQ(report.errors, 0u);
  EXPECT_EQ(report.summary,
            "taken:\n"
            "  a: 3 events and 1 references to 1 standard events in 2 models, 2 mapfile rows; 2 "
            "entries carry a description of ours\n"
            "  b: 1 events and 0 references to 0 standard events in 1 models, 1 mapfile rows; 0 "
            "entries carry a description of ours\n"
            "dropped (facts only are kept):\n"
            "  1 descriptions of the source\n"
            "  1 entries without a name\n"
            "  1 metrics\n"
            "  1 values of the unknown key MatrixReg\n"
            "  1 values of the unknown key Strange\n"
            "removed (1):\n"
            "  a/m/old.json: nothing of it is in the source\n"
            "not in the source, left alone (1):\n"
            "  a/mine\n"
            "descriptions that fit no entry (1):\n"
            "  a: q default_core *\n"
            "new or changed files (6):\n"
            "  a/std.json\n  a/m/t.json\n  a/n/t.json\n  a/mapfile.csv\n  b/m/t.json\n"
            "  b/mapfile.csv\n"
            "0 files unchanged\n"
            "sources disagree on 0 events:\n");
  EXPECT_NE(import(from, into).summary.find("\n6 files unchanged\n"), std::string::npos);
}

TEST(ImportReport, ACheckTellsTheCodesThatWouldChange) {
  const test::TempDir into,
      from{{"a/mapfile.csv", kMap}, {"a/std.json", kStandard}, {"a/m/t.json", kTopic}};
  import(from, into);
  EXPECT_EQ(import(from, into, true).summary,
            "nothing changes\n"
            "1 metrics of the sources can be read at run time (--events); none is imported\n"
            "sources disagree on 0 events:\n");
  from.write("a/mapfile.csv", "h\nid-[ab],v2,m,core\nid-d,,m,core\n");
  from.write("a/std.json", R"([{"EventName":"STD","EventCode":"0x41"}])");
  from.write("a/m/t.json", R"([{"EventName":"E","EventCode":"0x2","UMask":"0x3","Unit":"CHA"},
                               {"EventName":"F","EventCode":"0x3","UMask":"0x3"},
                               {"ArchStdEvent":"STD"}])");
  const ImportReport report = import(from, into, true);
  EXPECT_EQ(report.changes, 2u);
  EXPECT_EQ(report.summary,
            "a/m: 2 changed, 1 new, 1 gone\n"
            "  changed default_core/f: event=0x3 -> event=0x3,umask=0x3\n"
            "  changed default_core/std: event=0x40 -> event=0x41\n"
            "  new uncore_cha/e: event=0x2,umask=0x3\n"
            "  gone default_core/e: event=0x2,umask=0x1\n"
            "a/mapfile.csv: 1 changed, 1 new, 1 gone\n"
            "  changed id-[ab]: m v1 -> m v2\n"
            "  new id-d: m\n"
            "  gone id-c: m v1\n"
            "sources disagree on 0 events:\n");
}

TEST(ImportReport, OnlyTheArchitecturesThatAreAskedForAreTaken) {
  const test::TempDir into, from{{"a/mapfile.csv", kMap},
                                 {"a/m/t.json", kTopic},
                                 {"b/mapfile.csv", kMap},
                                 {"b/m/t.json", kTopic}};
  const ImportReport report =
      import_events({.from = {from.path()}, .into = into.path(), .architectures = {"b"}});
  EXPECT_EQ(report.architectures, 1u);
  EXPECT_TRUE(into.has("b/m/t.json"));
  EXPECT_FALSE(into.has("a/m/t.json"));
}

/// A kernel's tree and a perfmon repository that state one event.
struct Statement {
  const char *kernels, *makers;
  const char *theirs, *stated, *taken;  ///< of the report; "" if they agree
};

TEST(ImportReport, EachDisagreementHasItsReason) {
  const Statement cases[] = {
      {R"("EventName":"X","EventCode":"0x1")", R"("EventName":"X","EventCode":"0x1")", "", "", ""},
      {R"("EventName":"X","EventCode":"0x1")", R"("EventName":"X","EventCode":"0x2")",
       "default_core/x: kernel event=0x1", "event=0x2", "the maker's"},
      {R"("EventName":"X","EventCode":"0x1","Unit":"CHA")", R"("EventName":"X","EventCode":"0x1")",
       "default_core/x: kernel -", "event=0x1", "the kernel's: it is on another PMU there"},
      {R"("EventName":"X","EventCode":"0x1","Filter":"config1=0x5","Unit":"CHA")",
       R"("EventName":"X","EventCode":"0x1","Unit":"CHA")",
       "uncore_cha/x: kernel config1=0x5,event=0x1", "event=0x1",
       "the kernel's: it says which field the filter goes to"},
      {R"("EventName":"X","EventCode":"0xff","Unit":"CHA")",
       R"("EventName":"X","EventCode":"0x1","Unit":"CHA")", "uncore_cha/x: kernel event=0xff",
       "event=0x1", "the kernel's: its driver counts the clock under this code"},
      {R"("EventName":"X","EventCode":"0x1","Unit":"IIO")",
       R"("EventName":"X","EventCode":"0x1","UMaskExt":"0x3","Unit":"IIO")",
       "uncore_iio/x: kernel event=0x1", "event=0x1,umask=0x300",
       "the kernel's: its PMU has no field for the extension of the code"},
      {R"("EventName":"X","EventCode":"0x1")", R"("EventName":"Y:A","EventCode":"0x2")",
       "default_core/y:a: kernel -", "event=0x2", "neither: no event's name may have a colon"},
      {R"("EventName":"X","EventCode":"0xb7","MSRIndex":"0x1a6","MSRValue":"0x10")",
       R"("EventName":"LONG_X","EventCode":"0xb7","MSRIndex":"0x1a6","MSRValue":"0x10")",
       "default_core/long_x: kernel -", "event=0xb7,offcore_rsp=0x10",
       "the kernel's: it has this code under a shorter name"},
      {R"("EventName":"X","EventCode":"0x1")", R"("EventName":"A_FREERUN","EventCode":"0x0")",
       "default_core/a_freerun: kernel -", "",
       "neither: it has no code, and no PMU of the kernel counts it"},
      {R"("EventName":"X","EventCode":"0x1")", R"("EventName":"CHAIN","EventCode":"0x1e")",
       "default_core/chain: kernel -", "event=0x1e", "neither: drivers use it to join counters"}};
  for (const Statement& c : cases) {
    const test::TempDir into,
        dir{{"linux-7.3/arch/x86/mapfile.csv", "h\nGenuineIntel-6-AD,v1.20,graniterapids,core\n"},
            {"linux-7.3/arch/x86/graniterapids/t.json", std::string("[{") + c.kernels + "}]"},
            {"perfmon/mapfile.csv",
             "Family-model,Version,Filename,EventType\n"
             "GenuineIntel-6-AD,V1.20,/GNR/events/graniterapids_core.json,core\n"},
            {"perfmon/GNR/events/graniterapids_core.json",
             std::string(R"({"Header":{},"Events":[{)") + c.makers + "}]}"}};
    const ImportReport report =
        import_events({.from = {dir.path("linux-7.3/arch"), dir.path("perfmon")},
                       .into = into.path(),
                       .report = true});
    const std::string said = report.summary.substr(report.summary.find("sources disagree"));
    const std::string wanted =
        *c.taken == '\0' ? "sources disagree on 0 events:\n"
                         : std::string("sources disagree on 1 events:\n  graniterapids ") +
                               c.theirs + ", maker " + c.stated + "; taken is " + c.taken + "\n";
    EXPECT_EQ(said, wanted) << c.makers;
  }
}

// VERSION and PATCHLEVEL of the Makefile; else the name of an unpacked archive of the kernel.
TEST(KernelSource, IsToldByTheMakefileOrTheDirectory) {
  const char* const makefile = "# SPDX\nVERSION = 7\nPATCHLEVEL = 3\nSUBLEVEL = 4\nVERSION = 9\n";
  const struct {
    Files files;
    const char *root, *source;
  } cases[] = {{{{"k/Makefile", makefile}, {"k/a/x", ""}}, "k/a", "Linux 7.3"},
               {{{"k/Makefile", makefile}, {"k/1/2/3/4/x", ""}}, "k/1/2/3/4", "Linux 7.3"},
               {{{"k/Makefile", makefile}, {"k/1/2/3/4/5/x", ""}}, "k/1/2/3/4/5", ""},
               {{{"k/Makefile", "VERSION = 7\n"}, {"k/a/x", ""}}, "k/a", ""},
               {{{"k/Makefile", "PATCHLEVEL = 7\n"}, {"k/a/x", ""}}, "k/a", ""},
               {{{"linux-6.12.1/arch/x", ""}}, "linux-6.12.1/arch", "Linux 6.12.1"},
               {{{"linux-source-6.1/arch/x", ""}}, "linux-source-6.1/arch", "Linux 6.1"},
               {{{"linux-6.12-rc1/arch/x", ""}}, "linux-6.12-rc1/arch", "Linux 6.12"},
               {{{"linux-6/arch/x", ""}}, "linux-6/arch", ""},
               {{{"source-6.1/arch/x", ""}}, "source-6.1/arch", ""},
               {{{"events/x", ""}}, "events", ""}};
  for (const auto& c : cases) {
    const test::TempDir dir;
    for (const auto& [name, text] : c.files) dir.write(name, text);
    EXPECT_EQ(kernel_source(dir.path(c.root)), c.source) << c.root;
  }
}

}  // namespace
}  // namespace evname::importer
