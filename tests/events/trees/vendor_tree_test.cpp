// Trees as Intel (github.com/intel/perfmon) and Arm (github.com/ARM-software/data, gitlab.arm.com's
// telemetry-solution) publish them: which models they have, and what the kernel's files say of the
// same events.
#include "events/trees/vendor_tree.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/temp_dir.hpp"

namespace evname::trees {
namespace {

using test::TempDir;

/// "ARCH NAME [SOURCE] FILES;" of each model, and "ARCH PATTERN VERSION>NAME;" of each row.
std::string models_of_tree(const std::string& root, Diagnostics& diagnostics) {
  std::string out;
  for (const ArchDir& arch : find_trees(root, diagnostics)) {
    for (const ModelDir& model : arch.models) {
      out += arch.arch + " " + model.name + " [" + model.source + "]";
      for (const std::string& file : model.files)
        out += " " + file.substr(root.size() + 1) +
               (model.unit_of(file).empty() ? "" : "(" + model.unit_of(file) + ")");
      out += ";";
    }
    for (const MapfileRow& row : arch.map_rows)
      out += arch.arch + " " + row.pattern + " " + row.version + ">" + row.directory + ";";
  }
  return out;
}

std::string models_of(const TempDir& dir, Diagnostics& diagnostics) {
  return models_of_tree(dir.path(), diagnostics);
}

// Fields of MIDR_EL1: Arm's architecture manual, D23.2: Implementer has 8 bits, PartNum 12. The
// architecture is 0xf, and variants and revisions don't matter.
TEST(ArmFiles, AreOfTheCpuThatTheirHeadNames) {
  const struct {
    const char *head, *model;
  } cases[] = {
      {R"("cpuid": "0x41d0c", "cpu": "Neoverse N1", "architecture": "armv8-a")",
       "arm64 arm/neoverse-n1 [Arm data Neoverse N1] pmu/a.json;"
       "arm64 0x00000000410fd0c0 >arm/neoverse-n1;"},
      {R"("cpuid": "0xfffff", "cpu": "X", "architecture": "armv9-a")",
       "arm64 arm/x [Arm data X] pmu/a.json;arm64 0x00000000ff0ffff0 >arm/x;"},
      {R"("cpuid": "0x01001", "cpu": "X", "architecture": "armv9-a")",
       "arm64 arm/x [Arm data X] pmu/a.json;arm64 0x00000000010f0010 >arm/x;"},
      {R"("cpuid": "0x41d07", "cpu": "Cortex-A57", "timestamp": "Thu Feb  8 21:07:02 2024")",
       "arm64 arm/cortex-a57 [Arm data Cortex-A57 2024-02-08] pmu/a.json;"
       "arm64 0x00000000410fd070 2024-02-08>arm/cortex-a57;"},
      {R"("cpuid": "0x41c0f", "cpu": "Cortex-A15", "architecture": "armv7-a")",
       "arm cortex-a15 [Arm data Cortex-A15] pmu/a.json;arm 0x00000000410fc0f0 >cortex-a15;"},
      {R"("cpuid": "0x41b76", "cpu": "ARM1176", "architecture": "armv6")",
       "arm arm1176 [Arm data ARM1176] pmu/a.json;arm 0x00000000410fb760 >arm1176;"},
      {R"("cpuid": "0x41d01", "cpu": "Cortex-A32", "architecture": "armv8-a")",
       "arm cortex-a32 [Arm data Cortex-A32] pmu/a.json;arm 0x00000000410fd010 >cortex-a32;"},
      {R"("cpuid": "0x41d13", "cpu": "Cortex-R52", "architecture": "armv8-r")",
       "arm cortex-r52 [Arm data Cortex-R52] pmu/a.json;arm 0x00000000410fd130 >cortex-r52;"},
      {R"("cpuid": "0x100d0c", "cpu": "X", "architecture": "armv8-a")", ""},
      {R"("cpuid": "0x00d0c", "cpu": "X", "architecture": "armv8-a")", ""},
      {R"("cpuid": "0x41000", "cpu": "X", "architecture": "armv8-a")", ""},
      {R"("cpuid": "0x41d0c", "cpu": "", "architecture": "armv8-a")", ""},
      {R"("cpuid": "0x41d0c", "architecture": "armv8-a")", ""},
      {R"("cpuid": "x", "cpu": "X")", ""},
      {R"("cpu": "X")", ""},
      // Of telemetry.
      {R"("product_name": "C1-Pro", "part_num": "0xd8b", "major_revision": "1",
          "minor_revision": "2", "implementer": "0x41", "timestamp": "09 Sep 13:13:53 2025")",
       "arm64 arm/c1-pro [Arm telemetry C1-Pro r1p2 2025-09-09] pmu/a.json;"
       "arm64 0x00000000410fd8b0 2025-09-09>arm/c1-pro;"},
      {R"("product_name": "X", "part_num": "0xfff", "implementer": "0xff")",
       "arm64 arm/x [Arm telemetry X r0p0] pmu/a.json;arm64 0x00000000ff0ffff0 >arm/x;"},
      {R"("product_name": "X", "part_num": "0x1000", "implementer": "0x41")", ""},
      {R"("product_name": "X", "part_num": "0xd8b", "implementer": "0x100")", ""},
      {R"("product_name": "X", "part_num": "0xd8b", "implementer": "0x0")", ""},
      {R"("product_name": "X", "part_num": "0x0", "implementer": "0x41")", ""},
      {R"("product_name": "X", "part_num": "0xd8b")", ""},
      {R"("product_name": X, "part_num": 3467, "implementer": 65)",
       "arm64 arm/x [Arm telemetry X r0p0] pmu/a.json;arm64 0x00000000410fd8b0 >arm/x;"},
  };
  for (const auto& c : cases) {
    const TempDir dir{{"cpus.json", "{}"},
                      {"pmu/a.json", std::string("{") + c.head + ", \"events\": []}"}};
    Diagnostics diagnostics;
    EXPECT_EQ(models_of(dir, diagnostics), c.model) << c.head;
  }
}

TEST(ArmFiles, HaveADateIfTheTimestampHasOne) {
  const std::pair<const char*, const char*> cases[] = {{"Thu Feb  8 21:07:02 2024", "2024-02-08"},
                                                       {"09 Sep 13:13:53 2025", "2025-09-09"},
                                                       {"31 Jan 00:00:00 2025", "2025-01-31"},
                                                       {"1 Dec 2025", "2025-12-01"},
                                                       {"2025 Mar 2", "2025-03-02"},
                                                       {"Apr 3 2025", "2025-04-03"},
                                                       {"4 May 2025", "2025-05-04"},
                                                       {"5 Jun 2025", "2025-06-05"},
                                                       {"6 Jul 2025", "2025-07-06"},
                                                       {"7 Aug 2025", "2025-08-07"},
                                                       {"8 Oct 2025", "2025-10-08"},
                                                       {"9 Nov 2025", "2025-11-09"},
                                                       {"Jan 2025", ""},
                                                       {"1 2025", ""},
                                                       {"1 Jan", ""},
                                                       {"1 January 2025", ""}};
  for (const auto& [timestamp, date] : cases) {
    const TempDir dir{{"cpus.json", "{}"},
                      {"pmu/a.json", std::string(R"({"timestamp": ")") + timestamp +
                                         R"(", "cpuid": "0x41d0c", "cpu": "X", "events": []})"}};
    Diagnostics diagnostics;
    const auto trees = find_trees(dir.path(), diagnostics);
    ASSERT_EQ(trees.size(), 1u);
    EXPECT_EQ(trees[0].map_rows.at(0).version, date) << timestamp;
  }
}

TEST(ArmFiles, OfTheLatestRevisionCount) {
  const auto head = [](int major, int minor) {
    return R"({"product_name": "X", "part_num": "0xd8b", "implementer": "0x41", "major_revision": ")" +
           std::to_string(major) + R"(", "minor_revision": ")" + std::to_string(minor) +
           R"(", "events": {}})";
  };
  const struct {
    int a_major, a_minor, b_major, b_minor;
    const char* taken;
  } cases[] = {{0, 0, 1, 0, "b"}, {1, 0, 0, 0, "a"}, {1, 0, 0, 9, "a"}, {1, 0, 1, 1, "b"},
               {1, 1, 1, 0, "a"}, {0, 2, 1, 1, "b"}, {2, 0, 10, 0, "b"}};
  for (const auto& c : cases) {
    const TempDir dir{{"pmu/cpu/x/a.json", head(c.a_major, c.a_minor)},
                      {"pmu/cpu/x/b.json", head(c.b_major, c.b_minor)}};
    Diagnostics diagnostics;
    EXPECT_NE(models_of(dir, diagnostics).find(std::string("pmu/cpu/x/") + c.taken + ".json;"),
              std::string::npos)
        << c.a_major << c.a_minor << c.b_major << c.b_minor;
  }
}

TEST(ArmFiles, AreThreeDirectoriesDeepAtMost) {
  const std::string head = R"({"cpuid": "0x41d0c", "cpu": "X", "events": []})";
  for (const bool deep : {false, true}) {
    const TempDir dir{{deep ? "pmu/cpu/1/2/3/4/x.json" : "pmu/cpu/1/2/3/x.json", head}};
    Diagnostics diagnostics;
    EXPECT_EQ(models_of(dir, diagnostics).empty(), deep);
  }
  // Neither has cpus.json, or a directory of CPUs.
  for (const char* path : {"pmu/x.json", "pmu/gpu/x.json", "data/x.json"}) {
    const TempDir dir{{path, head}};
    Diagnostics diagnostics;
    EXPECT_EQ(models_of(dir, diagnostics).find("Arm data"), std::string::npos) << path;
  }
}

constexpr const char* kHeading =
    "Family-model,Version,Filename,EventType,Core Type,Native Model ID,Core Role Name\n";

TEST(PerfmonTree, HasAModelOfEachFilesName) {
  const std::string events = R"({"Events": []})";
  const struct {
    const char *rows, *expected, *warning;
  } cases[] = {
      {"GenuineIntel-6-55-[01234],V1.36,/SKX/events/skylakex_core.json,core,,,\n"
       "GenuineIntel-6-55-[01234],V1.36,/SKX/events/skylakex_uncore_experimental.json,uncore,,,\n",
       "x86 skylakex [Intel perfmon SKX 1.36] SKX/events/skylakex_core.json "
       "SKX/events/skylakex_uncore_experimental.json;x86 GenuineIntel-6-55-[01234] V1.36>skylakex;",
       ""},
      {"A-6-1,v2,SKX/events/skylakex_core.json,core,,,\n"
       "A-6-2,3,/SKX/events/skylakex_core.json,core,,,\n",
       "x86 skylakex [Intel perfmon SKX 3] SKX/events/skylakex_core.json;"
       "x86 A-6-1 v2>skylakex;x86 A-6-2 3>skylakex;",
       ""},
      // Metrics and latencies say nothing about the version of events, unless there is nothing
      // else.
      {"A-6-1,V1.1,/SKX/events/skylakex_core.json,core,,,\n"
       "A-6-1,V9.9,/SKX/metrics/skylakex_metrics.json,TMA Metrics,,,\n"
       "A-6-1,V8.8,/SKX/metrics/skylakex_latency.json,retire latency,,,\n",
       "x86 skylakex [Intel perfmon SKX 1.1] SKX/events/skylakex_core.json "
       "SKX/metrics/skylakex_metrics.json SKX/metrics/skylakex_latency.json;"
       "x86 A-6-1 V1.1>skylakex;",
       ""},
      {"A-6-1,V9.9,/SKX/metrics/skylakex_metrics.json,metrics,,,\n"
       "A-6-1,V1.1,/SKX/events/skylakex_core.json,core,,,\n",
       "x86 skylakex [Intel perfmon SKX 1.1] SKX/metrics/skylakex_metrics.json "
       "SKX/events/skylakex_core.json;x86 A-6-1 V9.9>skylakex;",
       ""},
      {"A-6-1,V9.9,/SKX/metrics/skylakex_metrics.json,metrics,,,\n",
       "x86 skylakex [Intel perfmon SKX 9.9] SKX/metrics/skylakex_metrics.json;"
       "x86 A-6-1 V9.9>skylakex;",
       ""},
      // A hybrid CPU, and one that has only one of its kinds of cores.
      {"A-6-97,V1,/ADL/events/alderlake_goldencove_core.json,hybridcore,0x40,0x1,Core\n"
       "A-6-97,V1,/ADL/events/alderlake_gracemont_core.json,hybridcore,0x20,0x1,Atom\n"
       "A-6-BE,V1,/ADL/events/alderlake_gracemont_core.json,core,,,\n",
       "x86 alderlake [Intel perfmon ADL 1] ADL/events/alderlake_goldencove_core.json(cpu_core) "
       "ADL/events/alderlake_gracemont_core.json(cpu_atom);"
       "x86 alderlaken [Intel perfmon ADL 1] ADL/events/alderlake_gracemont_core.json;"
       "x86 A-6-97 V1>alderlake;x86 A-6-BE V1>alderlaken;",
       ""},
      {"A-6-1,V1,/LNL/events/lunarlake_lp.json,hybridcore,,,LowPower_Atom\n",
       "x86 lunarlake [Intel perfmon LNL 1] LNL/events/lunarlake_lp.json(cpu_lowpower);"
       "x86 A-6-1 V1>lunarlake;",
       ""},
      {"A-6-1,V1,/SKX/events/none.json,core,,,\n", "",
       "/SKX/events/none.json: the row is dropped: no such file in the tree"},
      {"A-6-1,V1,/../outside.json,core,,,\n", "", "the row is dropped: no such file in the tree"},
      {"A-6-1,V1,/SKX/../../outside.json,core,,,\n", "", "the row is dropped: no such file"},
  };
  for (const auto& c : cases) {
    const TempDir all{{"outside.json", events},
                      {"tree/mapfile.csv", std::string(kHeading) + c.rows},
                      {"tree/SKX/events/skylakex_core.json", events},
                      {"tree/SKX/events/skylakex_uncore_experimental.json", events},
                      {"tree/SKX/metrics/skylakex_metrics.json", events},
                      {"tree/SKX/metrics/skylakex_latency.json", events},
                      {"tree/LNL/events/lunarlake_lp.json", events},
                      {"tree/ADL/events/alderlake_goldencove_core.json", events},
                      {"tree/ADL/events/alderlake_gracemont_core.json", events}};
    Diagnostics diagnostics;
    EXPECT_EQ(models_of_tree(all.path("tree"), diagnostics), c.expected) << c.rows;
    std::string said;
    for (const Diagnostic& one : diagnostics.all()) said += diagnostics.text(one);
    EXPECT_EQ(said.empty(), std::string_view(c.warning).empty()) << said;
    EXPECT_NE(said.find(c.warning), std::string::npos) << said;
    if (!said.empty()) {
      EXPECT_NE(said.find("mapfile.csv:2: warning"), std::string::npos) << said;
    }
  }
}

/// The fields of an entry once it has the kernel's form, "key=value" of those that count.
std::string kernel_form(const std::string& entry, const std::string& model = "skylakex",
                        const std::string& unit = "") {
  const TempDir dir{{"x.json", "{\"Events\":[" + entry + "]}"}};
  JsonFile file;
  Diagnostics diagnostics;
  EXPECT_TRUE(read_json(dir.path("x.json"), file, diagnostics)) << entry;
  ModelDir of;
  of.name = model;
  if (!unit.empty()) of.units[dir.path("x.json")] = unit;
  Object& object = file.objects.at(0);
  to_kernel_form(of, dir.path("x.json"), object, file);
  std::string out;
  for (std::size_t i = 0; i < object.fields.size(); ++i) {
    const std::string_view key = object.fields[i].key;
    bool is_first = true;
    for (std::size_t before = 0; before < i; ++before)
      is_first = is_first && object.fields[before].key != key;
    if (is_first && key != "EventName")
      out += std::string(key) + "=" + std::string(object.get(key)) + " ";
  }
  return out;
}

// What tools/perf/pmu-events/arch/x86 says of the same events.
TEST(KernelForm, SaysWhatTheKernelsFilesSay) {
  const struct {
    const char *entry, *expected;
  } cases[] = {
      {R"({"EventName":"A","EventCode":"0x3c","UMask":"0x0"})", "EventCode=0x3c UMask=0x0 "},
      {R"({"EventName":"A","Errata":"null","Data_LA":"0","PEBS":"0","Deprecated":"0"})", ""},
      {R"({"EventName":"A","Errata":"SKL1","Data_LA":"1","PEBS":"2","Deprecated":"1"})",
       "Errata=SKL1 Data_LA=1 PEBS=2 Deprecated=1 "},
      {R"({"EventName":"A","Errata":"NA","Filter":"na","PEBS":""})", ""},
      {R"({"EventName":"A","UMask":"0","EdgeDetect":"0"})", "UMask=0 "},
      {R"({"EventName":"A","PortMask":"0x000","FCMask":"0x","Invert":0,"MSRIndex":"0x3f6,0x0"})",
       "FCMask=0x MSRIndex=0x3f6,0x0 "},
      {R"({"EventName":"A","EventCode":"0x0","Counter":"0","MSRValue":"0x00","Precise":[0]})",
       "EventCode=0x0 Counter=0 MSRValue=0x00 Precise= "},
      {R"({"EventName":"A","Filter":"config1=0x1"})", "Filter=config1=0x1 "},
      {R"({"EventName":"A","Filter":"fc, chnl"})", "Filter= "},
      {R"({"EventName":"A","Filter":"CHAFilter0[26:17]=0x1"})", "Filter= "},
      {R"({"EventName":"A","Unit":"IMC","Counter":"FIXED","UMask":"0x3"})",
       "Unit=IMC Counter=FIXED UMask= EventCode=0xff "},
      {R"({"EventName":"A","Counter":"FIXED","UMask":"0x3"})", "Counter=FIXED UMask=0x3 "},
      {R"({"EventName":"A","Unit":"cpu_atom","Counter":"FIXED","UMask":"0x3"})",
       "Unit=cpu_atom Counter=FIXED UMask=0x3 "},
      {R"({"EventName":"UNC_MC0_RDCAS_COUNT_FREERUN","Unit":"imc","Counter":"FREERUN"})",
       "Unit=imc_free_running_0 Counter=FREERUN EventCode=0xff "},
      {R"({"EventName":"UNC_MC1_WR_FREERUN","Unit":"imc","Counter":"FreeRunning"})",
       "Unit=imc_free_running_1 Counter=FreeRunning EventCode=0xff "},
      {R"({"EventName":"UNC_MC9_X","Unit":"imc","Counter":"FREERUN"})",
       "Unit=imc_free_running_9 Counter=FREERUN EventCode=0xff "},
      {R"({"EventName":"UNC_MCX_X","Unit":"imc","Counter":"FREERUN"})",
       "Unit=imc_free_running Counter=FREERUN EventCode=0xff "},
      {R"({"EventName":"UNC_MC10_X","Unit":"imc","Counter":"FREERUN"})",
       "Unit=imc_free_running Counter=FREERUN EventCode=0xff "},
      {R"({"EventName":"UNC_MC1","Unit":"imc","Counter":"FREERUN"})",
       "Unit=imc_free_running Counter=FREERUN EventCode=0xff "},
      {R"({"EventName":"UNC_MC1_","Unit":"imc","Counter":"FREERUN"})",
       "Unit=imc_free_running_1 Counter=FREERUN EventCode=0xff "},
      {R"({"EventName":"A","CounterType":"FREERUN"})", ""},
      {R"({"EventName":"A","Unit":"IIO","CounterType":"FREERUN","Counter":"0"})", ""},
      {R"({"EventName":"A","Unit":"IIO","CounterType":"FREERUN","Counter":"FREERUN"})",
       "Unit=IIO_free_running CounterType=FREERUN Counter=FREERUN EventCode=0xff "},
      // Arm's.
      {R"({"name":"LD","code":6})", "EventCode=0x6 "},
      {R"({"EventName":"LD","code":"0x4001"})", "EventCode=0x4001 "},
      {R"({"name":"LD","description":"no code"})", ""},
      {R"({"code":6,"description":"no name"})", ""},
      {R"({"name":"LD","code":"x"})", ""},
  };
  for (const auto& c : cases) EXPECT_EQ(kernel_form(c.entry), c.expected) << c.entry;
}

TEST(KernelForm, HasThePmuOfAHybridCpusFile) {
  EXPECT_EQ(kernel_form(R"({"EventName":"A"})", "alderlake", "cpu_atom"), "Unit=cpu_atom ");
  EXPECT_EQ(kernel_form(R"({"EventName":"A","Unit":"CBO"})", "alderlake", "cpu_atom"), "Unit=CBO ");
  EXPECT_EQ(kernel_form(R"({"EventName":"A","Counter":"FIXED"})", "alderlake", "cpu_core"),
            "Counter=FIXED Unit=cpu_core ");
}

// UNC_CLOCK.SOCKET of the kernel's uncore-other.json of each model.
TEST(KernelForm, HasThePmuOfTheClock) {
  const std::pair<const char*, const char*> cases[] = {
      {"haswell", "cbox_0"},  {"broadwell", "cbox_0"}, {"skylake", "cbox_0"},
      {"icelake", "CLOCK"},   {"rocketlake", "CLOCK"}, {"tigerlake", "CLOCK"},
      {"alderlake", "CLOCK"}, {"alderlaken", "CLOCK"}, {"meteorlake", "CNCU"},
      {"arrowlake", "CNCU"},  {"lunarlake", "CNCU"}};
  for (const auto& [model, unit] : cases)
    EXPECT_EQ(kernel_form(R"({"EventName":"UNC_CLOCK.SOCKET","Unit":"NCU"})", model),
              std::string("Unit=") + unit + " ");
  for (const auto& [filter, is] :
       {std::pair{"a=1", true}, {"a", false}, {"a[1:2]=3", false}, {"", false}, {"a=1,b=2", true}})
    EXPECT_EQ(is_term_list(filter), is) << filter;
}

}  // namespace
}  // namespace evname::trees
