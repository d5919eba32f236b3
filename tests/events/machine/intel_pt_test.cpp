// Intel PT, whose config perf fills in beforehand by the caps of the PMU.

#include <gtest/gtest.h>

#include "evname/machine.hpp"
#include "support/temp_dir.hpp"

namespace evname::test {
namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

void write_tree(const TempDir& tree, const Files& more, bool has_pt = true) {
  const std::string devices = "bus/event_source/devices/";
  tree.write(devices + "cpu/type", "4\n");
  tree.write(devices + "intel_pt/type", "14\n");
  const Files fields = {{"cyc", "1"},           {"tsc", "10"}, {"noretcomp", "11"},
                        {"branch", "13"},       {"mtc", "9"},  {"mtc_period", "14-17"},
                        {"psb_period", "24-27"}};
  for (const auto& [name, bits] : fields)
    tree.write(devices + "intel_pt/format/" + name, "config:" + bits + "\n");
  if (has_pt) tree.write(devices + "intel_pt/format/pt", "config:0\n");
  for (const auto& [name, value] : more)
    tree.write(devices + "intel_pt/caps/" + name, value + "\n");
}

struct IntelPtCase {
  const char* text;
  std::uint64_t config;
};

// Configs as `perf-parse` of perf 7.3 gives them for the same tree.
void expect_all(const TempDir& tree, std::initializer_list<IntelPtCase> cases) {
  const auto machine = Machine::named("GenuineIntel-6-55-4", tree.path());
  ASSERT_TRUE(machine) << machine.error().text();
  for (const IntelPtCase& row : cases) {
    SCOPED_TRACE(row.text);
    const auto found = machine->resolve(row.text);
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ(found->at(0).code.config[0], row.config);
    const std::string name = machine->name_of(found->at(0));
    const auto again = machine->resolve(name);
    ASSERT_TRUE(again) << name << again.error().text();
    EXPECT_EQ(again->at(0).code.config[0], row.config) << name;
  }
}

TEST(IntelPt, TakesTheSecondShortestPacketsThatItsCapsAllow) {
  const TempDir tree;
  write_tree(tree, {{"mtc", "1"}, {"psb_cyc", "1"}, {"psb_periods", "3f"}, {"mtc_periods", "249"}});
  expect_all(tree, {{"intel_pt//", 0x300e601},
                    {"intel_pt/noretcomp/", 0x300ee01},
                    {"intel_pt/tsc=0/", 0x300e201},
                    {"intel_pt/config=5/", 0x5},
                    {"intel_pt/config=5,cyc/", 0x7},
                    {"intel_pt/mtc_period=9/u", 0x3026601},
                    {"intel_pt/tsc=0,mtc=0/", 0x300e001}});
}

TEST(IntelPt, HasNoPeriodsWithoutCaps) {
  const TempDir tree;
  write_tree(tree, {});
  expect_all(tree, {{"intel_pt//", 0x2401},
                    {"intel_pt/noretcomp/", 0x2c01},
                    {"intel_pt/tsc=0/", 0x2001},
                    {"intel_pt/config=0/", 0}});
}

TEST(IntelPt, TakesTheShortestPeriodWhereAllAreLong) {
  const TempDir tree;
  write_tree(tree, {{"mtc", "1"}, {"psb_cyc", "1"}, {"psb_periods", "30"}, {"mtc_periods", "240"}},
             false);
  expect_all(tree, {{"intel_pt//", 0x4018600},
                    {"intel_pt/tsc=0/", 0x4018200},
                    {"intel_pt/mtc_period=9/u", 0x4024600}});
}

}  // namespace
}  // namespace evname::test
