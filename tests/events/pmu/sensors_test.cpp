
#include <gtest/gtest.h>

#include "events/pmu/sysfs.hpp"
#include "evname/machine.hpp"
#include "support/temp_dir.hpp"

namespace evname::pmu {
namespace {

using test::TempDir;

std::string event_text(const SysfsEvent& event) {
  return event.name + " " + event.terms + " " + std::to_string(event.scale) + " " + event.unit;
}

// The names, labels and codes of perf's own tests/hwmon_pmu.c, and one file of each kind.
TEST(Sensors, AreEventsByNumberAndByLabel) {
  const TempDir tree;
  const std::string hwmon = "class/hwmon/hwmon1234/";
  tree.write(hwmon + "name", "A test hwmon PMU\n");
  tree.write(hwmon + "temp1_label", "test hwmon event1\n");
  tree.write(hwmon + "temp1_input", "40000\n");
  tree.write(hwmon + "temp2_label", "test hwmon event2\n");
  tree.write(hwmon + "temp2_input", "50000\n");
  tree.write(hwmon + "temp3_max", "50000\n");  // nothing to read: no event
  tree.write(hwmon + "fan7_input", "900\n");
  tree.write(hwmon + "in0_input", "1100\n");
  tree.write(hwmon + "badtype5_input", "1\n");
  tree.write(hwmon + "temp32767_input", "1\n");
  tree.write(hwmon + "temp32768_input", "1\n");  // more than perf's 15 bits
  const std::vector<Pmu> pmus = hwmon_pmus(tree.path());
  ASSERT_EQ(pmus.size(), 1u);
  EXPECT_EQ(pmus[0].name, "hwmon_a_test_hwmon_pmu");
  EXPECT_EQ(pmus[0].alias, "hwmon1234");
  EXPECT_EQ(pmus[0].type, 0xffff0000u + 1234);
  std::vector<std::string> events;
  for (const SysfsEvent& event : pmus[0].events) events.push_back(event_text(event));
  EXPECT_EQ(events, (std::vector<std::string>{
                        "fan7 config=0x40007 1.000000 rpm",
                        "in0 config=0x60000 0.001000 V",
                        "temp1 config=0xa0001 0.001000 'C",
                        "temp2 config=0xa0002 0.001000 'C",
                        "temp32767 config=0xa7fff 0.001000 'C",
                        "temp_test_hwmon_event1 config=0xa0001 0.001000 'C",
                        "temp_test_hwmon_event2 config=0xa0002 0.001000 'C",
                    }));
  EXPECT_EQ(pmus[0].events[5].desc, "Temperature of a_test_hwmon_pmu: test hwmon event1");
}

TEST(Sensors, WithoutANumberOrANameAreLeftOut) {
  const TempDir tree;
  tree.write("class/hwmon/hwmon0/temp1_input", "1\n");  // no name
  tree.write("class/hwmon/hwmonX/name", "x\n");
  tree.write("class/hwmon/other7/name", "x\n");
  tree.write("class/hwmon/hwmon65534/name", "x\n");  // its type would be the type of "tool"
  EXPECT_TRUE(hwmon_pmus(tree.path()).empty());
}

// Lines as in Documentation/gpu/drm-usage-stats.rst; numbers are places in the file, as in perf's
// drm_pmu.c.
TEST(Gpus, AreFoundByWhatProcessesHaveOpen) {
  const TempDir proc;
  proc.write("12/fdinfo/0", "pos:\t0\nflags:\t02\n");
  proc.write("12/fdinfo/9",
             "pos:\t0\ndrm-driver:\ti915\ndrm-client-id:\t7\ndrm-pdev:\t0000:00:02.0\n"
             "drm-total-system0:\t4096 KiB\ndrm-engine-render:\t9288864723 ns\n"
             "drm-engine-capacity-video:\t2\n");
  proc.write("9/fdinfo/3", "drm-driver:\tamdgpu\ndrm-engine-gfx:\t5 ns\n");
  proc.write("77/fdinfo/3", "drm-driver:\ti915\ndrm-engine-copy:\t5 ns\n");  // known by then
  proc.write("self/fdinfo/3", "drm-driver:\tself\n");
  const std::vector<Pmu> pmus = drm_pmus(proc.path());
  ASSERT_EQ(pmus.size(), 2u);
  EXPECT_EQ(pmus[0].name, "drm_amdgpu");
  EXPECT_EQ(pmus[0].type, 0xfffe0000u);
  EXPECT_EQ(pmus[1].name, "drm_i915");
  EXPECT_EQ(pmus[1].type, 0xfffe0001u);
  std::vector<std::string> events;
  for (const SysfsEvent& event : pmus[1].events) events.push_back(event_text(event));
  EXPECT_EQ(events, (std::vector<std::string>{
                        "drm-engine-capacity-video config=0x2 1.000000 capacity",
                        "drm-engine-render config=0x1 1.000000 ns",
                        "drm-total-system0 config=0x0 1.000000 bytes",
                    }));
}

struct Resolved {
  std::string_view text;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> codes;  ///< type and config
};

// As `perf-parse` of perf 7.3 answers on the same tree, but for the last two: perf refuses capital
// letters and takes sensors that are not there.
TEST(Sensors, AreResolvedAsPerfDoes) {
  const TempDir tree;
  tree.write("bus/event_source/devices/cpu/type", "4\n");
  for (const char* const hwmon : {"class/hwmon/hwmon1/", "class/hwmon/hwmon3/"}) {
    tree.write(hwmon + std::string("name"), "nvme\n");
    tree.write(hwmon + std::string("temp1_label"), "Composite\n");
    tree.write(hwmon + std::string("temp1_input"), "1\n");
  }
  tree.write("class/hwmon/hwmon2/name", "k10temp\n");
  tree.write("class/hwmon/hwmon2/temp1_label", "Tctl\n");
  tree.write("class/hwmon/hwmon2/temp1_input", "1\n");
  const auto machine = Machine::named("AuthenticAMD-25-61-2", tree.path());
  ASSERT_TRUE(machine) << machine.error().text();
  const Resolved rows[] = {
      {"hwmon_k10temp/temp1/", {{0xffff0002, 0xa0001}}},
      {"hwmon2/temp_tctl/", {{0xffff0002, 0xa0001}}},
      {"temp_tctl", {{0xffff0002, 0xa0001}}},
      {"hwmon_nvme/temp1/", {{0xffff0001, 0xa0001}}},  // one PMU has just that name
      {"temp1", {{0xffff0002, 0xa0001}, {0xffff0001, 0xa0001}, {0xffff0003, 0xa0001}}},
      {"temp2", {}},
      {"TEMP_Tctl", {{0xffff0002, 0xa0001}}},
      {"hwmon_k10temp/temp2/", {}},
  };
  for (const Resolved& row : rows) {
    SCOPED_TRACE(row.text);
    const auto found = machine->resolve(row.text);
    std::vector<std::pair<std::uint32_t, std::uint64_t>> codes;
    if (found)
      for (const Encoding& e : *found) codes.emplace_back(e.code.type, e.code.config[0]);
    EXPECT_EQ(codes, row.codes);
  }
}

}  // namespace
}  // namespace evname::pmu
