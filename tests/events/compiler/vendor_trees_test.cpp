// Trees in the makers' layouts. Files are cut from Arm's of February 2024 and September 2025.
#include <gtest/gtest.h>

#include "events/compiler/build_tables.hpp"
#include "events/tables/model_view.hpp"
#include "events/trees/vendor_tree.hpp"
#include "support/temp_dir.hpp"

namespace evname::compiler {
namespace {

using Strings = std::vector<std::string>;

constexpr const char* kA15 = R"({
    "_type": "Events",
    "timestamp": "Thu Feb  8 21:07:03 2024",
    "implementer": "A",
    "cpuid": "0x41c0f",
    "cpu": "Cortex-A15",
    "architecture": "armv7-a",
    "refs": [{"ref": "a manual"}],
    "events": [{"code": 1, "refs": [0, 2], "name": "L1I_CACHE_REFILL", "type": "UEVT"},
               {"code": 64, "description": "no name"},
               {"description": "no code", "event_lsb": 4}]})";

std::string telemetry(const std::string& product, const std::string& part, int major,
                      const std::string& code) {
  return R"({"document": {"timestamp": "09 Sep 13:13:32 2025"}, "product_configuration":
    {"product_name": ")" +
         product + R"(", "part_num": ")" + part + R"(", "major_revision": ")" +
         std::to_string(major) + R"(", "minor_revision": "0", "implementer": "0x41",
     "architecture": "armv9.3"},
    "events": {"SW_INCR": {"code": "0x0000", "accesses": ["PMU"]},
               "NEW": {"code": ")" +
         code + R"("}},
    "metrics": {"ipc": {"formula": "x", "events": ["SW_INCR"]}},
    "groups": {"metrics": {"a": {"code": "0x9"}}}})";
}

/// "ARCH MODEL EVENT terms", and "ARCH MIDR MODEL" of the mapfile's rows.
Strings contents(const std::string& root, trees::Diagnostics& diagnostics) {
  Strings out;
  const std::vector<std::string> roots{root};
  for (const auto& trees : group_by_architecture(roots, diagnostics)) {
    const tables::TableArrays arrays = build_tables(trees, diagnostics);
    const tables::ArchTables view = arrays.view();
    for (const tables::Model& model : view.models)
      for (const auto& pmu : view.pmus.subspan(model.first_pmu, model.pmu_count))
        for (const std::uint32_t entry : view.entries.subspan(pmu.first, pmu.count)) {
          const tables::Event& event = view.events[tables::event_of(entry)];
          out.push_back(std::string(view.arch) + " " + std::string(view.text(model.name)) + " " +
                        std::string(view.text(event.name)) + " " + tables::terms_text(view, event));
        }
    for (const tables::MapRow& row : view.map_rows)
      out.push_back(std::string(view.arch) + " " + std::string(view.text(row.pattern)) + " " +
                    std::string(view.text(view.models[row.model].name)) + " from " +
                    std::string(view.text(view.models[row.model].source)));
  }
  return out;
}

TEST(ArmData, GivesTheEventsThatHaveANameAndACode) {
  const test::TempDir dir{{"cpus.json", "{}"},
                          {"pmu/cortex-a15.json", kA15},
                          {"pmu/common_armv7.json", R"({"cpu": "common", "events": []})"}};
  trees::Diagnostics diagnostics;
  EXPECT_EQ(contents(dir.path(), diagnostics),
            (Strings{"arm cortex-a15 l1i_cache_refill event=1",
                     "arm 0x00000000410fc0f0 cortex-a15 from Arm data Cortex-A15 2024-02-08"}));
  EXPECT_TRUE(diagnostics.all().empty());
}

TEST(ArmTelemetry, TakesTheLatestRevisionOfACpu) {
  const std::string old_pro = telemetry("C1-Pro", "0xd8b", 0, "0x4001");
  const std::string new_pro = telemetry("C1-Pro", "0xd8b", 1, "0x4002");
  const test::TempDir dir{{"data/pmu/cpu/lumex/c1-pro-r0p0.json", old_pro},
                          {"data/pmu/cpu/lumex/c1-pro-r1p0.json", new_pro}};
  const Strings wanted{"arm64 arm/c1-pro new event=0x4002", "arm64 arm/c1-pro sw_incr event=0",
                       "arm64 0x00000000410fd8b0 arm/c1-pro from "
                       "Arm telemetry C1-Pro r1p0 2025-09-09"};
  trees::Diagnostics diagnostics;
  EXPECT_EQ(contents(dir.path(), diagnostics), wanted);
  EXPECT_EQ(contents(dir.path("data"), diagnostics), wanted);
  EXPECT_TRUE(diagnostics.all().empty());
}

TEST(ArmTelemetry, HasNoDateIfTheTimestampHasNone) {
  const std::pair<const char*, const char*> cases[] = {{"01 Jan 13:13:32 2026", " 2026-01-01"},
                                                       {"31 Dec 00:00:00 2025", " 2025-12-31"},
                                                       {"", ""},
                                                       {"2025", ""}};
  for (const auto& [timestamp, date] : cases) {
    std::string text = telemetry("C1-Pro", "0xd8b", 1, "0x4002");
    const std::string_view old = "09 Sep 13:13:32 2025";
    text.replace(text.find(old), old.size(), timestamp);
    const test::TempDir dir{{"pmu/cpu/x.json", text}};
    trees::Diagnostics diagnostics;
    EXPECT_EQ(
        contents(dir.path(), diagnostics).back(),
        std::string("arm64 0x00000000410fd8b0 arm/c1-pro from Arm telemetry C1-Pro r1p0") + date);
  }
}

TEST(ArmTelemetry, AFileThatIsCutOffIsReportedAndReadUpToThere) {
  const test::TempDir dir{
      {"pmu/cpu/x.json", telemetry("C1-Pro", "0xd8b", 0, "0x4001").substr(0, 330)}};
  trees::Diagnostics diagnostics;
  EXPECT_FALSE(contents(dir.path(), diagnostics).empty());
  EXPECT_EQ(diagnostics.count(trees::Severity::error), 1u);
}

TEST(Perfmon, LeavesOutWhatMeansNothingAndSaysItsVersion) {
  const test::TempDir dir{
      {"mapfile.csv",
       "Family-model,Version,Filename,EventType,Core Type,Native Model ID,Core Role Name\n"
       "GenuineIntel-6-AD,V1.20,/GNR/events/graniterapids_core.json,core,,,\n"
       "GenuineIntel-6-AD,V1.08,/GNR/metrics/graniterapids_retire_latency.json,retire "
       "latency,,,\n"},
      {"GNR/metrics/graniterapids_retire_latency.json", R"({"Data": {}})"},
      {"GNR/events/graniterapids_core.json",
       R"({"Header": {"Version": "1.20"}, "Events": [{"EventCode": "0x2A,0x2B", "UMask": "0x01,0x02",
        "EventName": "OCR.X", "MSRIndex": "0x1a6,0x1a7", "MSRValue": "0x10", "Filter": "na",
        "Errata": "null", "BriefDescription": "theirs", "Data_LA": "0", "PEBS": "0"}]})"}};
  trees::Diagnostics diagnostics;
  const std::vector<std::string> roots{dir.path()};
  const auto groups = group_by_architecture(roots, diagnostics);
  const tables::TableArrays arrays = build_tables(groups.front(), diagnostics);
  const tables::ArchTables view = arrays.view();
  ASSERT_EQ(view.events.size(), 1u);
  EXPECT_EQ(tables::terms_text(view, view.events[0]), "event=0x2a,umask=1,offcore_rsp=0x10");
  EXPECT_EQ(view.text(view.events[0].desc), "theirs");
  EXPECT_EQ(view.text(view.models[0].source), "Intel perfmon GNR 1.20");
  EXPECT_TRUE(diagnostics.all().empty());
}

}  // namespace
}  // namespace evname::compiler
