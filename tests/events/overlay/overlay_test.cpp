// Event files laid over the tables at run time. Codes of vendor files are those that the kernel's
// own conversion of the same events gives (Linux 6.12, alderlake and sapphirerapids).
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "evname/attr.hpp"
#include "evname/machine.hpp"
#include "evname/metric.hpp"
#include "evname/schedule.hpp"
#include "support/temp_dir.hpp"

namespace evname::test {
namespace {

std::string codes_of(const Result<Machine>& machine, std::string_view event) {
  if (!machine) return machine.error().text();
  const auto encodings = machine->resolve(event);
  if (!encodings) return encodings.error().text();
  std::string out;
  for (const Encoding& e : *encodings) {
    if (!out.empty()) out += ' ';
    out += e.pmu;
    for (const std::uint64_t word : {e.code.config[0], e.code.config[1]}) {
      char text[32];
      snprintf(text, sizeof text, ":%#llx", static_cast<unsigned long long>(word));
      out += text;
    }
  }
  return out;
}

class Overlay : public testing::Test {
 protected:
  void SetUp() override {
    if (!Machine::named("skylakex")) GTEST_SKIP() << "no tables of skylakex are built in";
  }
  Result<Machine> over(const char* cpu) { return Machine::named(cpu, {}, dir_.path()); }

  TempDir dir_;
};

TEST_F(Overlay, GivesANewCpuItsEvents) {
  dir_.write("x86/mapfile.csv",
             std::string(kMapfileHeading) + "GenuineIntel-6-FE,v1,newlake,core\n");
  dir_.write("x86/newlake/cache.json",
             R"([{"EventName":"A.B","EventCode":"0xd1","UMask":"0x20"}])");
  EXPECT_FALSE(Machine::named("newlake"));
  for (const char* cpu : {"newlake", "GenuineIntel-6-FE-3", "GenuineIntel,6,254,3"}) {
    const auto machine = over(cpu);
    EXPECT_EQ(codes_of(machine, "a.b"), "cpu:0x20d1:0") << cpu;
    ASSERT_TRUE(machine);
    EXPECT_EQ(machine->cpu().model, "newlake");
    EXPECT_EQ(machine->name_of(machine->resolve("cpu/event=0xd1,umask=0x20/")->front()), "a.b");
  }
  EXPECT_EQ(over("newlake")->cpu().matched_by, MatchedBy::name);
  EXPECT_EQ(over("GenuineIntel-6-FE-3")->cpu().matched_by, MatchedBy::cpuid);
}

/// A CPU that nobody knows: its events, PMUs, counters and names are in the directory alone.
TEST_F(Overlay, BringsThePmusOfANewCpu) {
  dir_.write("x86/mapfile.csv",
             std::string(kMapfileHeading) + "GenuineIntel-6-FE,v1,newlake,core\n");
  dir_.write("x86/newlake/core.json",
             R"([{"EventName":"A.B","EventCode":"0xd1","UMask":"0x20"},
                 {"EventName":"UNC_Q.C","Unit":"QBOX","EventCode":"0x5"}])");
  dir_.write("x86/pmus.csv",
             "PMU,CPUID,Models,Kind,Type,Format,Source\n"
             "cpu,,newlake,core,4,event=config:0-7 umask=config:8-15 turbo=config1:3-5,manual\n"
             "uncore_qbox,,newlake,uncore,,\"event=config:0-7 lane=config:8-11,40\",manual\n");
  dir_.write("x86/pmu-events.csv",
             "PMU,CPUID,Models,Event,Terms,Scale,Unit,Source\ncpu,,newlake,new-slots,event=0x77,,,"
             "manual\n");
  dir_.write("x86/counters.csv",
             "PMU,CPUID,Models,Generic,Fixed,One thread,Source\ncpu,,newlake,2,,,manual\n");
  dir_.write("x86/names.csv",
             "Model,CPUID,Short names,Code names,PMU names,Source\n"
             "newlake,,nwl,newerlake,newcove,manual\n");
  dir_.write("x86/products.csv",
             "Products,Model,CPUID,Note,Source\ni9[0-9][0-9]z,newlake,,,manual\n");
  EXPECT_FALSE(Machine::named("nwl"));
  for (const char* cpu :
       {"newlake", "NWL", "Newer-Lake", "new_cove", "i9-77Z", "GenuineIntel-6-FE-3"}) {
    const auto machine = over(cpu);
    EXPECT_EQ(codes_of(machine, "a.b"), "cpu:0x20d1:0") << cpu;
    EXPECT_EQ(codes_of(machine, "cpu/event=1,turbo=5/"), "cpu:0x1:0x28");
    EXPECT_EQ(codes_of(machine, "new-slots"), "cpu:0x77:0");
    EXPECT_EQ(codes_of(machine, "uncore_qbox/event=1,lane=0x1f/"), "uncore_qbox:0x10000000f01:0");
    EXPECT_EQ(codes_of(machine, "unc_q.c"), "uncore_qbox:0x5:0");
    const auto made = schedule(*machine, "a.b,cpu/event=1/,cpu/event=2/");
    ASSERT_TRUE(made) << made.error().text();
    EXPECT_EQ(made->pmus.front().groups.size(), 2u);  // three events, two counters
  }
  const auto plain = Machine::named("GenuineIntel-6-FE-3");
  EXPECT_EQ(codes_of(plain->with_events(dir_.path()), "cpu/turbo=5/"), "cpu:0:0x28");
}

TEST_F(Overlay, FaultsOfFactFilesAreToldWithTheirLine) {
  dir_.write("x86/mapfile.csv",
             std::string(kMapfileHeading) + "GenuineIntel-6-FE,v1,newlake,core\n");
  dir_.write("x86/newlake/core.json", R"([{"EventName":"A.B","EventCode":"0xd1"}])");
  dir_.write("x86/pmus.csv",
             "PMU,CPUID,Models,Kind,Type,Format,Source\ncpu,,,core,4,event=config:0-70,manual\n");
  const auto machine = over("newlake");
  ASSERT_TRUE(machine);
  ASSERT_EQ(machine->warnings().size(), 1u);
  EXPECT_NE(machine->warnings()[0].find("pmus.csv:2: error: Format: "), std::string::npos);
}

TEST_F(Overlay, TakesThePlaceOfSingleEventsOfAModel) {
  dir_.write("x86/skylakex/mine.json",
             R"([{"EventName":"MEM_LOAD_RETIRED.L3_MISS","EventCode":"0x11","UMask":"0x22"},
                 {"EventName":"MY.EVENT","EventCode":"0x33"}])");
  const auto plain = Machine::named("GenuineIntel-6-55-4");
  const auto machine = plain->with_events(dir_.path());
  EXPECT_EQ(codes_of(machine, "mem_load_retired.l3_miss"), "cpu:0x2211:0");
  EXPECT_EQ(codes_of(machine, "my.event"), "cpu:0x33:0");
  EXPECT_EQ(codes_of(machine, "mem_load_retired.l1_hit"), "cpu:0x1d1:0");
  EXPECT_EQ(machine->cpu().matched_by, MatchedBy::cpuid);
  EXPECT_EQ(machine->events().size(), plain->events().size() + 1);
  EXPECT_EQ(codes_of(*plain, "mem_load_retired.l3_miss"), "cpu:0x20d1:0");
  const Code own = make_code(kTypeRaw, {0x2211}), replaced = make_code(kTypeRaw, {0x20d1});
  EXPECT_EQ(plain->exact_name("cpu", replaced), "mem_load_retired.l3_miss");
  EXPECT_EQ(machine->exact_name("cpu", replaced), "");
  EXPECT_EQ(machine->exact_name("cpu", own), "mem_load_retired.l3_miss");
}

TEST_F(Overlay, ASecondDirectoryAddsToTheFirst) {
  dir_.write("x86/mapfile.csv",
             std::string(kMapfileHeading) + "GenuineIntel-6-55-4,v1,mylake,core\n");
  dir_.write("x86/mylake/core.json", R"([{"EventName":"MY.EVENT","EventCode":"0x33"}])");
  const TempDir other{{"x86/skylakex/more.json", R"([{"EventName":"O.T","EventCode":"0x44"}])"}};
  const auto first = Machine::named("GenuineIntel-6-55-4", {}, dir_.path());
  ASSERT_TRUE(first);
  EXPECT_EQ(first->cpu().model, "mylake");
  const auto second = first->with_events(other.path());
  ASSERT_TRUE(second) << second.error().text();
  EXPECT_EQ(second->cpu().model, "skylakex");
  EXPECT_EQ(codes_of(second, "o.t"), "cpu:0x44:0");
  EXPECT_EQ(codes_of(second, "mem_load_retired.l1_hit"), "cpu:0x1d1:0");
  EXPECT_EQ(codes_of(second, "my.event"), "cpu:0x33:0");
}

TEST_F(Overlay, EncodingsOutliveTheMachine) {
  dir_.write("x86/skylakex/mine.json",
             R"([{"EventName":"MY.EVENT","EventCode":"0x33","BriefDescription":"What I count"}])");
  const auto encodings =
      Machine::named("GenuineIntel-6-55-4", {}, dir_.path())->resolve("my.event,cpu/my.event/u");
  ASSERT_TRUE(encodings) << encodings.error().text();
  for (const Encoding& encoding : *encodings) {
    EXPECT_EQ(encoding.name, "my.event");
    EXPECT_EQ(encoding.pmu, "cpu");
    EXPECT_EQ(encoding.model, "skylakex");
    EXPECT_EQ(encoding.desc(), "What I count");
    EXPECT_EQ(encoding.terms(), "event=0x33");
    EXPECT_EQ(encoding.directory(), dir_.path());
  }
}

TEST_F(Overlay, OfMetricsAndGroupsReplacesSingleOnes) {
  dir_.write("x86/skylakex/mine-metrics.json",
             R"([{"MetricName":"cpi","MetricExpr":"2 * instructions","MetricGroup":"Summary"},
                 {"MetricName":"my_metric","MetricExpr":"cycles","MetricGroup":"Mine;Summary"}])");
  dir_.write("x86/skylakex/metricgroups.json", R"({"Mine": "of this file"})");
  const auto plain = Machine::named("GenuineIntel-6-55-4");
  const auto machine = plain->with_events(dir_.path());
  ASSERT_TRUE(machine) << machine.error().text();
  const auto all = list_metrics(*machine);
  EXPECT_EQ(all.size(), list_metrics(*plain).size() + 1);
  const auto cpi = list_metrics(*machine, "cpi");
  ASSERT_EQ(cpi.size(), 1u);
  EXPECT_EQ(cpi[0].expr, "2 * instructions");
  const auto groups = list_metric_groups(*machine);
  const auto mine = std::ranges::find(groups, "Mine", &MetricInfo::Group::name);
  ASSERT_NE(mine, groups.end());
  EXPECT_EQ(mine->desc, "of this file");
}

TEST_F(Overlay, TakesADirectoryOfTopicsForThisCpu) {
  dir_.write("extra.json", R"([{"EventName":"MY.EVENT","EventCode":"0x33"}])");
  EXPECT_EQ(codes_of(over("skylakex"), "my.event"), "cpu:0x33:0");
  EXPECT_EQ(codes_of(over("skylakex"), "mem_load_retired.l3_miss"), "cpu:0x20d1:0");
  EXPECT_EQ(codes_of(over("GenuineIntel-6-FE-3"), "my.event"), "cpu:0x33:0");
}

TEST_F(Overlay, RefersToStandardEventsOfTheBuild) {
  dir_.write("arm64/mapfile.csv",
             std::string(kMapfileHeading) + "0x0000000099990000,v1,my/core,core\n");
  dir_.write("arm64/my/core/branch.json", R"([{"ArchStdEvent":"BR_MIS_PRED"}])");
  EXPECT_EQ(codes_of(over("0x0000000099990000"), "br_mis_pred"), "armv8_pmuv3_0:0x10:0");
}

TEST_F(Overlay, SaysWhatCanNotBeUsedAndKeepsTheRest) {
  dir_.write("x86/skylakex/a.json",
             "[{\"EventName\":\"A\",\"EventCode\":\"1\"},\n{\"EventName\": ]");
  dir_.write("x86/skylakex/b.json", R"([{"EventName":"B","EventCode":"0xzz"}])");
  const auto machine = over("skylakex");
  EXPECT_EQ(codes_of(machine, "a"), "cpu:0x1:0");
  ASSERT_EQ(machine->warnings().size(), 2u);
  EXPECT_NE(machine->warnings()[0].find("a.json:2: "), std::string::npos) << machine->warnings()[0];
  EXPECT_NE(machine->warnings()[1].find("0xzz"), std::string::npos) << machine->warnings()[1];
}

struct Refusal {
  const char* file;
  const char* content;
  const char* cpu;
  const char* says;
};

TEST_F(Overlay, OfMoreThan256MegabytesIsRefusedBeforeItIsRead) {
  dir_.write("x86/mapfile.csv",
             std::string(kMapfileHeading) + "GenuineIntel-6-FE,v1,newlake,core\n");
  for (const char* topic : {"cache", "memory", "pipeline"}) {
    const std::string path = dir_.write(fmt::format("x86/newlake/{}.json", topic), "[");
    std::filesystem::resize_file(path, 100 << 20);  // of holes
  }
  const auto machine = over("newlake");
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().code, Errc::out_of_range);
  EXPECT_NE(machine.error().text().find("300 MB of event files; at most 256 MB"), std::string::npos)
      << machine.error().text();
}

TEST_F(Overlay, RefusesWhatHasNothingForTheCpu) {
  const Refusal kCases[] = {
      {"x86/mapfile.csv", "h\nGenuineIntel-6-FE,v1,newlake,core\n", "neoverse-n1",
       "no events of arm64 CPUs"},
      {"x86/newlake/a.json", R"([{"EventName":"A","EventCode":"1"}])", "skylakex",
       "its models are newlake"},
      {"x86/newlake/a.json", "[]", "newlake", "no event that can be used"},
  };
  for (const Refusal& c : kCases) {
    dir_.write(c.file, c.content);
    const auto machine = over(c.cpu);
    ASSERT_FALSE(machine) << c.says;
    EXPECT_NE(machine.error().text().find(c.says), std::string::npos) << machine.error().text();
    EXPECT_NE(machine.error().text().find(dir_.path()), std::string::npos);
  }
  EXPECT_EQ(Machine::named("skylakex", {}, dir_.path("none")).error().code, Errc::not_found);
  const TempDir empty;
  EXPECT_EQ(Machine::named("skylakex", {}, empty.path()).error().code, Errc::not_found);
}

constexpr const char* kVendorMapfile =
    "Family-model,Version,Filename,EventType,Core Type,Native Model ID,Core Role Name\n"
    "GenuineIntel-6-FE,V1,/NEW/events/newlake_big_core.json,hybridcore,0x40,0x000001,Core\n"
    "GenuineIntel-6-FE,V1,/NEW/events/newlake_small_core.json,hybridcore,0x20,0x000001,Atom\n"
    "GenuineIntel-6-FE,V1,/NEW/events/newlake_uncore.json,uncore,,,\n"
    "GenuineIntel-6-FE,V1,/NEW/events/newlake_uncore_experimental.json,uncore experimental,,,\n"
    "GenuineIntel-6-FE,V1,/NEW/metrics/newlake_metrics.json,metrics,,,\n"
    "GenuineIntel-6-FE,V1,/../../secret.json,core,,,\n";

constexpr const char* kBig = R"({"Header":{"Copyright":"C","Info":"I"},"Events":[
  {"EventCode":"0xD1","UMask":"0x20","EventName":"MEM_LOAD_RETIRED.L3_MISS","CounterMask":"0",
   "MSRIndex":"0","MSRValue":"0","Invert":"0","EdgeDetect":"0","Errata":"null","Offcore":"0"},
  {"EventCode":"0x2A,0x2B","UMask":"0x01","EventName":"OCR.DEMAND_DATA_RD.L3_MISS",
   "MSRIndex":"0x1a6,0x1a7","MSRValue":"0x3FBFC00001","Offcore":"1"}]})";
constexpr const char* kSmall = R"({"Header":{},"Events":[
  {"EventCode":"0xd0","UMask":"0x05","EventName":"MEM_UOPS_RETIRED.LOAD_LATENCY_GT_4",
   "MSRIndex":"0x3F6","MSRValue":"0x4"},
  {"EventCode":"0x34","UMask":"0x04","EventName":"MEM_BOUND_STALLS.LOAD_DRAM_HIT"}]})";
constexpr const char* kUncore = R"({"Header":{},"Events":[
  {"Unit":"iMC","EventCode":"0x00","UMask":"0x20","EventName":"UNC_MC0_RDCAS_COUNT_FREERUN",
   "Counter":"FREERUN","UMaskExt":"0x00","PortMask":"0x00","FCMask":"0x00","Filter":"na"},
  {"Unit":"UPI LL","EventCode":"0x02","UMask":"0x0F","EventName":"UNC_UPI_TXL_FLITS.ALL_DATA",
   "UMaskExt":"0x00","Filter":"null"}]})";
constexpr const char* kExperimental = R"({"Header":{},"Events":[
  {"Unit":"CHA","EventCode":"0x35","UMask":"0x01","UMaskExt":"0xC817FE","PortMask":"0x000",
   "FCMask":"0x00","EventName":"UNC_CHA_TOR_INSERTS.IA_MISS_DRD"},
  {"Unit":"IIO","EventCode":"0x83","UMask":"0x04","UMaskExt":"0x07001","PortMask":"0x0001",
   "FCMask":"0x07","EventName":"UNC_IIO_DATA_REQ_OF_CPU.MEM_READ.PART0"}]})";

TEST_F(Overlay, ReadsAVendorsDirectory) {
  dir_.write("mapfile.csv", kVendorMapfile);
  dir_.write("NEW/events/newlake_big_core.json", kBig);
  dir_.write("NEW/events/newlake_small_core.json", kSmall);
  dir_.write("NEW/events/newlake_uncore.json", kUncore);
  dir_.write("NEW/events/newlake_uncore_experimental.json", kExperimental);
  dir_.write("NEW/metrics/newlake_metrics.json", R"({"Header":{},"Metrics":[]})");
  const auto machine = over("GenuineIntel-6-FE-1");
  ASSERT_TRUE(machine) << machine.error().text();
  EXPECT_EQ(machine->cpu().model, "newlake");
  EXPECT_TRUE(machine->warnings().empty()) << machine->warnings()[0];
  std::set<std::string> got;
  for (const EventInfo& event : machine->events())
    if (event.source == Source::table) got.insert(event.pmu + " " + event.terms);
  const std::set<std::string> kWanted = {
      "cpu_core event=0xd1,umask=0x20",
      "cpu_core event=0x2a,umask=1,offcore_rsp=0x3FBFC00001",
      "cpu_atom event=0xd0,umask=5,ldlat=0x4",
      "cpu_atom event=0x34,umask=4",
      "uncore_imc_free_running_0 event=0xff,umask=0x20",
      "uncore_upi event=2,umask=0xf",
      "uncore_cha event=0x35,umask=0xc817fe01",
      "uncore_iio event=0x83,ch_mask=1,fc_mask=7,umask=4",
  };
  EXPECT_EQ(got, kWanted);
}

// In a build of that tree's tables; the project's own are of a newer one.
TEST_F(Overlay, OfTheUpstreamTreeChangesNoCode) {
  const char* tree = getenv("EVNAME_PMU_EVENTS");
  if (!tree) GTEST_SKIP() << "EVNAME_PMU_EVENTS is not set";
  for (const char* cpu : {"skylakex", "alderlake", "amdzen4", "arm/neoverse-n1"}) {
    const auto plain = Machine::named(cpu);
    const auto laid = Machine::named(cpu, {}, std::string(tree) + "/arch");
    ASSERT_TRUE(plain && laid) << cpu;
    const auto a = plain->events(), b = laid->events();
    ASSERT_EQ(a.size(), b.size()) << cpu;
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].name + a[i].pmu + a[i].terms, b[i].name + b[i].pmu + b[i].terms) << cpu;
      EXPECT_EQ(codes_of(*plain, a[i].name), codes_of(*laid, a[i].name)) << cpu;
    }
  }
}

}  // namespace
}  // namespace evname::test
