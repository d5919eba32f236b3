// The event files of the user. Codes come from the files written here; codes of vendor files from
// the kernel's own conversion of the same events (Linux 7.3, skylakex).
#include <gtest/gtest.h>

#include <filesystem>

#include "events/machine/machine_state.hpp"
#include "evname/machine.hpp"
#include "evname/metric.hpp"
#include "support/environment.hpp"
#include "support/temp_dir.hpp"

namespace evname::test {
namespace {

constexpr const char* kSkylakeX = "GenuineIntel-6-55-4";

std::uint64_t code_of(const Machine& machine, const char* event) {
  const auto encodings = machine.resolve(event);
  return encodings ? encodings->front().code.config[0] : ~std::uint64_t{0};
}

class UserEventFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (!Machine::named("skylakex", {}, {}, UserEvents::leave_out))
      GTEST_SKIP() << "no tables of skylakex are built in";
  }
  /// A kernel-layout tree with one event of skylakex.
  void write_tree(const std::string& name, const std::string& version, const std::string& code) {
    dir_.write(
        name + "/x86/mapfile.csv",
        std::string(kMapfileHeading) + "GenuineIntel-6-55-[01234]," + version + ",skylakex,core\n");
    dir_.write(name + "/x86/skylakex/my.json",
               R"([{"EventName":"MY.EVENT","EventCode":")" + code + R"("}])");
  }
  std::string path(const std::string& name) const { return dir_.path() + "/" + name; }

  TempDir dir_;
};

TEST_F(UserEventFiles, AreFoundWhereTheyAreLookedFor) {
  write_tree("listed", "v1", "0x11");
  write_tree("data/evname/events/mine", "v1", "0x22");
  const Environment home("XDG_DATA_HOME", path("data"));
  {
    const Environment none("EVNAME_EVENTS", "");
    EXPECT_TRUE(Machine::named(kSkylakeX)->event_directories().empty());
  }
  const Environment listed("EVNAME_EVENTS", path("listed"));
  const auto machine = Machine::named(kSkylakeX);
  ASSERT_TRUE(machine);
  const auto laid = machine->event_directories();
  ASSERT_EQ(laid.size(), 2u);
  EXPECT_EQ(laid[0].directory, path("listed"));
  EXPECT_EQ(laid[1].directory, path("data/evname/events/mine"));
  EXPECT_EQ(laid[0].version, "v1");
  EXPECT_TRUE(laid[0].is_users);
  EXPECT_EQ(code_of(*machine, "my.event"), 0x11u);
  EXPECT_EQ(code_of(*machine, "mem_load_retired.l3_miss"), 0x20d1u);
  EXPECT_EQ(machine->cpu().model, "skylakex");
  EXPECT_EQ(machine->cpu().matched_by, MatchedBy::cpuid);

  const auto without = Machine::named(kSkylakeX, {}, {}, UserEvents::leave_out);
  EXPECT_TRUE(without->event_directories().empty());
  EXPECT_FALSE(without->resolve("my.event"));
  EXPECT_TRUE(Machine::named("neoverse-n1")->event_directories().empty());
}

// The XDG specification: paths in these variables must be absolute, others are to be ignored.
TEST_F(UserEventFiles, AreNotLookedForBelowARelativeHome) {
  write_tree("home/.local/share/evname/events/mine", "v1", "0x22");
  const Environment listed("EVNAME_EVENTS", ":"), data("XDG_DATA_HOME", "data");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(dir_.path());
  for (const bool absolute : {false, true}) {
    const Environment home("HOME", absolute ? path("home") : "home");
    EXPECT_EQ(Machine::named(kSkylakeX)->event_directories().size(), absolute ? 1u : 0u);
  }
  std::filesystem::current_path(before);
}

TEST_F(UserEventFiles, AreForRecordingsAndLiveMachinesAsWell) {
  write_tree("mine", "v7", "0x11");
  dir_.write("proc/cpuinfo",
             "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nstepping\t: 4\n");
  const Environment listed("EVNAME_EVENTS", path("mine"));
  const Roots roots{path("sys"), path("proc")};
  for (const UserEvents how : {UserEvents::lay_over, UserEvents::leave_out}) {
    const bool laid = how == UserEvents::lay_over;
    const auto live = Machine::live(roots, how);
    ASSERT_TRUE(live) << live.error().text();
    for (const Machine& machine :
         {recorded_machine("x86_64", "GenuineIntel,6,85,4", {}, {}, how), *live}) {
      EXPECT_EQ(code_of(machine, "my.event"), laid ? 0x11 : ~std::uint64_t{0});
      EXPECT_EQ(machine.event_directories().size(), laid ? 1u : 0u);
      EXPECT_EQ(machine.cpu().model, "skylakex");
      EXPECT_EQ(code_of(machine, "mem_load_retired.l3_miss"), 0x20d1u);
    }
    // There is no sysfs, and so no core PMU: both are said.
    ASSERT_EQ(live->warnings().size(), 2u);
    EXPECT_NE(live->warnings()[0].find(path("sys")), std::string::npos);
    EXPECT_EQ(live->warnings()[1].substr(0, 31), "this machine has no core PMU; n");
  }
}

TEST_F(UserEventFiles, TheNewestStatedVersionCounts) {
  write_tree("a", "v1.9", "0x11");
  write_tree("b", "V1.10", "0x22");
  write_tree("c", "", "0x33");
  const Environment listed("EVNAME_EVENTS", path("a") + ":" + path("b") + ":" + path("c"));
  const auto machine = Machine::named(kSkylakeX);
  ASSERT_TRUE(machine);
  ASSERT_EQ(machine->event_directories().size(), 3u);
  EXPECT_EQ(machine->event_directories()[0].version, "V1.10");
  EXPECT_EQ(machine->event_directories()[2].directory, path("c"));
  EXPECT_EQ(code_of(*machine, "my.event"), 0x22u);
}

// A mapfile has a row for each CPU of a model.
TEST_F(UserEventFiles, TheVersionIsThatOfTheCpusRow) {
  write_tree("mine", "v1", "0x11");
  dir_.write("mine/x86/mapfile.csv", std::string(kMapfileHeading) +
                                         "GenuineIntel-6-FE,v8,skylakex,core\n"
                                         "GenuineIntel-6-55-[01234],v9,skylakex,core\n");
  const Environment listed("EVNAME_EVENTS", path("mine"));
  EXPECT_EQ(Machine::named(kSkylakeX)->event_directories()[0].version, "v9");
  // If no row fits the CPU, and its model is the directory's all the same, the first one counts.
  dir_.write("mine/x86/mapfile.csv", std::string(kMapfileHeading) +
                                         "GenuineIntel-6-FE,v8,skylakex,core\n"
                                         "GenuineIntel-6-FD,v9,skylakex,core\n");
  EXPECT_EQ(Machine::named(kSkylakeX)->event_directories()[0].version, "v8");
}

TEST_F(UserEventFiles, MayBeAFolderAboveTheArchitectures) {
  write_tree("linux/tools/perf/pmu-events/arch", "v1", "0x11");
  dir_.write("linux/arch/x86/Makefile", "");
  for (const char* above : {"linux/tools/perf/pmu-events/arch", "linux/tools/perf/pmu-events",
                            "linux/tools/perf", "linux"}) {
    const Environment listed("EVNAME_EVENTS", path(above));
    EXPECT_EQ(code_of(*Machine::named(kSkylakeX), "my.event"), 0x11u) << above;
  }
}

TEST_F(UserEventFiles, AFolderOfOtherTreesIsToldToBeNone) {
  write_tree("trees/mine", "v1", "0x11");
  dir_.write("trees/other/mapfile.csv", kMapfileHeading);
  const Environment listed("EVNAME_EVENTS", path("trees"));
  const auto machine = Machine::named(kSkylakeX);
  ASSERT_TRUE(machine);
  ASSERT_EQ(machine->warnings().size(), 1u);
  EXPECT_TRUE(machine->warnings()[0].starts_with(path("trees") + ": not used: "))
      << machine->warnings()[0];
}

constexpr const char* kIntelMetrics = R"json({"Header": {}, "Metrics": [{
  "MetricName": "Retiring", "LegacyName": "metric_TMA_Retiring(%)", "Level": 1,
  "BriefDescription": "d", "UnitOfMeasure": "percent", "Category": "TMA",
  "Events": [{"Name": "MY.EVENT", "Alias": "a"}, {"Name": "CPU_CLK_UNHALTED.THREAD",
    "Alias": "b"}], "Constants": [], "Formula": "100 * ( a / ( 4 * b ) )", "MetricGroup": ""}]})json";

TEST_F(UserEventFiles, OfAMakerBringMetrics) {
  dir_.write("perfmon/mapfile.csv",
             "Family-model,Version,Filename,EventType\n"
             "GenuineIntel-6-55-4,V1,/SKX/events/skylakex_core.json,core\n"
             "GenuineIntel-6-55-4,V1,/SKX/metrics/skylakex_metrics.json,metrics\n");
  dir_.write("perfmon/SKX/events/skylakex_core.json",
             R"({"Events": [{"EventName": "MY.EVENT", "EventCode": "0x11"}]})");
  dir_.write("perfmon/SKX/metrics/skylakex_metrics.json", kIntelMetrics);
  const Environment listed("EVNAME_EVENTS", path("perfmon"));
  const auto users = Machine::named(kSkylakeX);
  const auto given = Machine::named(kSkylakeX, {}, path("perfmon/SKX"), UserEvents::leave_out);
  for (const Result<Machine>* machine : {&users, &given}) {
    ASSERT_TRUE(*machine) << machine->error().text();
    EXPECT_TRUE((*machine)->warnings().empty()) << (*machine)->warnings()[0];
    MetricSet set(**machine, MetricFacts(**machine));
    ASSERT_TRUE(set.add("tma_retiring"));
    const std::vector<EventCount> counts{{100}, {50}};
    EXPECT_EQ(set.evaluate(counts)[0].value, 50);  // 100 / (4 * 50), in %
    EXPECT_EQ(set.metrics()[0].unit, "%");
  }
}

TEST_F(UserEventFiles, GivenOnesComeFirst) {
  write_tree("users", "v9", "0x11");
  write_tree("given", "v1", "0x22");
  write_tree("more", "v1", "0x33");
  const Environment listed("EVNAME_EVENTS", path("users"));
  const auto named = Machine::named(kSkylakeX, {}, path("given"));
  ASSERT_TRUE(named) << named.error().text();
  EXPECT_EQ(code_of(*named, "my.event"), 0x22u);
  ASSERT_EQ(named->event_directories().size(), 2u);
  EXPECT_FALSE(named->event_directories()[0].is_users);
  EXPECT_TRUE(named->event_directories()[1].is_users);
  const auto more = named->with_events(path("more"));
  ASSERT_TRUE(more);
  EXPECT_EQ(code_of(*more, "my.event"), 0x33u);
  EXPECT_EQ(more->event_directories().size(), 3u);
}

TEST_F(UserEventFiles, ABadOneIsAWarningWithItsPlace) {
  write_tree("good", "v1", "0x11");
  dir_.write("good/x86/skylakex/broken.json", "[{\"EventName\":\"A\"},\n{\"EventName\": ]");
  dir_.write("lone/topic.json", "[]");
  const std::string absent = path("absent");
  const Environment listed("EVNAME_EVENTS", path("lone") + ":" + path("good") + "::" + absent);
  const auto machine = Machine::named(kSkylakeX);
  ASSERT_TRUE(machine);
  EXPECT_EQ(code_of(*machine, "my.event"), 0x11u);
  const auto warnings = machine->warnings();
  const auto has = [&](const std::string& text) {
    return std::any_of(warnings.begin(), warnings.end(),
                       [&](const std::string& one) { return one.find(text) != one.npos; });
  };
  EXPECT_TRUE(has("broken.json:2: "));
  EXPECT_TRUE(has(path("lone") + ": not used"));
  EXPECT_TRUE(has(absent));
  EXPECT_EQ(warnings.size(), 3u);
}

// A file that is parsed would be a warning, since it has a fault.
TEST_F(UserEventFiles, OfOtherCpusAreNotParsed) {
  write_tree("mixed", "v1", "0x11");
  for (const char* of_others : {"x86/otherlake", "arm64/neoverse-x"})
    dir_.write(std::string("mixed/") + of_others + "/broken.json", "[{\"EventName\": ]");
  dir_.write("others/x86/mapfile.csv",
             std::string(kMapfileHeading) + "GenuineIntel-6-FE,v1,otherlake,core\n");
  dir_.write("others/x86/otherlake/broken.json", "[{\"EventName\": ]");
  const Environment listed("EVNAME_EVENTS", path("others") + ":" + path("mixed"));
  const auto machine = Machine::named(kSkylakeX);
  ASSERT_TRUE(machine);
  EXPECT_EQ(code_of(*machine, "my.event"), 0x11u);
  EXPECT_EQ(machine->event_directories().size(), 1u);
  EXPECT_TRUE(machine->warnings().empty()) << machine->warnings().front();
}

TEST_F(UserEventFiles, GiveANewCpuItsEventsByNameToo) {
  dir_.write("new/x86/mapfile.csv",
             std::string(kMapfileHeading) + "GenuineIntel-6-FE,v1,newlake,core\n");
  dir_.write("new/x86/newlake/cache.json", R"([{"EventName":"A.B","EventCode":"0xd1"}])");
  const Environment listed("EVNAME_EVENTS", path("new"));
  for (const char* cpu : {"newlake", "GenuineIntel-6-FE-3"}) {
    const auto machine = Machine::named(cpu);
    ASSERT_TRUE(machine) << cpu;
    EXPECT_EQ(code_of(*machine, "a.b"), 0xd1u) << cpu;
    EXPECT_EQ(machine->cpu().model, "newlake");
  }
}

// A maker calls a model by another name than the kernel does.
TEST_F(UserEventFiles, OfAMakerAreOfTheModelThatTheBuildKnows) {
  dir_.write("perfmon/mapfile.csv",
             std::string(kMapfileHeading) +
                 "GenuineIntel-6-55-[01234],V1.99,/S/events/s_core.json,core\n");
  dir_.write(
      "perfmon/S/events/s_core.json",
      R"({"Header":{},"Events":[{"EventName":"MY.EVENT","EventCode":"0x44","UMask":"0x2"}]})");
  const Environment listed("EVNAME_EVENTS", path("perfmon"));
  const auto machine = Machine::named(kSkylakeX);
  ASSERT_TRUE(machine);
  EXPECT_EQ(code_of(*machine, "my.event"), 0x244u);
  EXPECT_EQ(code_of(*machine, "mem_load_retired.l3_miss"), 0x20d1u);
  EXPECT_EQ(machine->cpu().model, "skylakex");
}

}  // namespace
}  // namespace evname::test
