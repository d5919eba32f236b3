#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "events/pmu/sysfs.hpp"
#include "support/temp_dir.hpp"

namespace evname::pmu {
namespace {

using test::TempDir;
constexpr const char* kDevices = "bus/event_source/devices/";

struct Read {
  std::vector<Pmu> pmus;
  std::vector<std::string> warnings;

  const Pmu* find(std::string_view name) const {
    const auto at =
        std::find_if(pmus.begin(), pmus.end(), [&](const Pmu& p) { return p.name == name; });
    return at == pmus.end() ? nullptr : &*at;
  }
};

Read read(const std::string& root, std::string_view arch = "x86") {
  Read out;
  auto pmus = sysfs_pmus(root, arch, &out.warnings);
  EXPECT_TRUE(pmus) << pmus.error().text();
  out.pmus = pmus.value_or(std::vector<Pmu>{});
  return out;
}

/// Files of bus/event_source/devices.
void write(const TempDir& tree,
           std::initializer_list<std::pair<std::string_view, std::string_view>> files) {
  for (const auto& [path, content] : files) tree.write(kDevices + std::string(path), content);
}

TEST(SysfsPmus, ReadsEveryFileThatPerfReads) {
  const TempDir tree;
  write(tree, {{"uncore_imc_0/type", "22\n"},
               {"uncore_imc_0/cpumask", "0,28\n"},
               {"uncore_imc_0/identifier", "43401\n"},
               {"uncore_imc_0/alias", "imc_a\n"},
               {"uncore_imc_0/format/event", "config:0-7\n"},
               {"uncore_imc_0/format/umask", "config:8-15\n"},
               {"uncore_imc_0/events/cas_count_read", "event=0x04,umask=0x03\n"},
               {"uncore_imc_0/events/cas_count_read.scale", "6.103515625e-5\n"},
               {"uncore_imc_0/events/cas_count_read.unit", "MiB\n"},
               {"uncore_imc_0/events/clockticks", "event=0xff\n"},
               {"uncore_imc_0/events/clockticks.per-pkg", "1\n"},
               {"uncore_imc_0/events/clockticks.snapshot", "1\n"},
               {"uncore_imc_0/events/level", "event=0x1\n"},
               {"uncore_imc_0/events/level.snapshot", "1\n"},
               {"uncore_imc_0/events/package", "event=0x2\n"},
               {"uncore_imc_0/events/package.per-pkg", "1\n"},
               {"cpu/type", "4\n"},
               {"cpu/caps/pmu_name", "skylake\n"}});
  const Read got = read(tree.path());
  ASSERT_EQ(got.pmus.size(), 2u);
  EXPECT_EQ(got.pmus[0].name, "cpu");
  EXPECT_TRUE(got.pmus[0].is_core);
  EXPECT_EQ(*got.pmus[0].find_cap("pmu_name"), "skylake");
  const Pmu& imc = got.pmus[1];
  EXPECT_EQ(imc.type, 22u);
  EXPECT_TRUE(imc.is_uncore);
  EXPECT_FALSE(imc.is_core);
  EXPECT_EQ(imc.cpus, "0,28");
  EXPECT_EQ(imc.identifier, "43401");
  EXPECT_EQ(imc.alias, "imc_a");
  EXPECT_EQ(imc.find_format("umask")->mask, 0xff00u);
  ASSERT_EQ(imc.events.size(), 4u);
  EXPECT_EQ(imc.events[0].terms, "event=0x04,umask=0x03");
  EXPECT_EQ(imc.events[0].scale, 6.103515625e-5);
  EXPECT_EQ(imc.events[0].unit, "MiB");
  EXPECT_FALSE(imc.events[0].per_pkg);
  EXPECT_TRUE(imc.events[1].per_pkg);
  EXPECT_TRUE(imc.events[1].snapshot);
  EXPECT_FALSE(imc.events[2].per_pkg);
  EXPECT_TRUE(imc.events[2].snapshot);
  EXPECT_TRUE(imc.events[3].per_pkg);
  EXPECT_FALSE(imc.events[3].snapshot);
  EXPECT_TRUE(got.warnings.empty());
}

TEST(SysfsPmus, AnIdentifierWithoutNewlineKeepsItsLastCharacter) {
  const TempDir tree;
  write(tree,
        {{"arm_cmn_0/type", "9"}, {"arm_cmn_0/cpumask", "0"}, {"arm_cmn_0/identifier", "43401"}});
  EXPECT_EQ(read(tree.path()).find("arm_cmn_0")->identifier, "43401");
}

TEST(SysfsPmus, LinksToDirectoriesAreFollowed) {
  const TempDir tree;
  tree.write("devices/cpu/type", "4\n");
  write(tree, {{"software/type", "1\n"}});
  ASSERT_EQ(::symlink("../../../devices/cpu", tree.path(kDevices + std::string("cpu")).c_str()), 0);
  EXPECT_NE(read(tree.path()).find("cpu"), nullptr);
}

TEST(SysfsPmus, WithoutACorePmuThereIsAPlaceholder) {
  const TempDir tree;
  write(tree, {{"software/type", "1\n"}});
  const Read got = read(tree.path());
  ASSERT_EQ(got.pmus.size(), 2u);
  EXPECT_EQ(got.pmus[0].name, "cpu");
  EXPECT_EQ(got.pmus[0].type, 4u);
  EXPECT_TRUE(got.pmus[0].is_core);
  EXPECT_EQ(got.pmus[0].origin, Origin::builtin);
  EXPECT_EQ(got.warnings.size(), 1u);
}

TEST(SysfsPmus, WhatCannotBeReadIsLeftOutAndTold) {
  const TempDir tree;
  write(tree, {{"cpu/type", "4\n"},
               {"cpu/format/event", "config:0-7\n"},
               {"cpu/format/bad", "nonsense\n"},
               {"cpu/format/directory/file", "x"},
               {"cpu/events/plain", "event=1"},
               {"cpu/events/plain.scale", "nonsense"},
               {"no_type/format/event", "config:0-7\n"},
               {"odd_type/type", "99999999999\n"},
               {"loose_file", "x"}});
  const std::string fifo = tree.path(kDevices + std::string("cpu/events/fifo"));
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const std::string loop = tree.path(kDevices + std::string("loop"));
  ASSERT_EQ(::symlink("loop", loop.c_str()), 0);
  const Read got = read(tree.path());
  ASSERT_EQ(got.pmus.size(), 1u);
  EXPECT_EQ(got.pmus[0].formats.size(), 1u);
  ASSERT_EQ(got.pmus[0].events.size(), 1u);
  EXPECT_EQ(got.pmus[0].events[0].scale, 1.0);
  EXPECT_EQ(got.warnings.size(), 6u);
}

// As strtod() reads them; perf takes 0 for a scale that is not set.
TEST(SysfsPmus, ScalesAreNumbersOfAnyForm) {
  const struct {
    const char* text;
    double scale;
  } cases[] = {{"2.5", 2.5},
               {"+2.5\n", 2.5},
               {"-2.5", -2.5},
               {"0x1p-32", 0x1p-32},
               {"+0X10", 16},
               {"1e-3xyz", 1e-3},
               {"2.3283e-10\n", 2.3283e-10},
               {"0", 1},
               {"0.0", 1},
               {"0x0", 1},
               {"++1", 1},
               {"x", 1},
               {"", 1}};
  for (const auto& c : cases) {
    const TempDir tree;
    write(tree, {{"cpu/type", "4\n"},
                 {"cpu/format/event", "config:0-7\n"},
                 {"cpu/events/plain", "event=1"},
                 {"cpu/events/plain.scale", c.text}});
    const Read got = read(tree.path());
    ASSERT_EQ(got.pmus.size(), 1u);
    EXPECT_EQ(got.pmus[0].events.at(0).scale, c.scale) << c.text;
  }
}

TEST(SysfsPmus, NoPmuAtAllIsAnError) {
  const TempDir tree;
  EXPECT_EQ(sysfs_pmus(tree.path(), "x86", nullptr).error().code, Errc::not_found);
  tree.write(kDevices + std::string("README"), "x");
  EXPECT_EQ(sysfs_pmus(tree.path(), "x86", nullptr).error().code, Errc::not_found);
}

TEST(SysfsPmus, OnArm64EachPmuHasTheMidrOfItsFirstCpu) {
  const TempDir tree;
  write(tree, {{"armv8_cortex_a53/type", "8"},
               {"armv8_cortex_a53/cpus", "0-3"},
               {"armv8_cortex_a72/type", "9"},
               {"armv8_cortex_a72/cpus", "4-5"},
               {"software/type", "1"}});
  tree.write("devices/system/cpu/cpu1/regs/identification/midr_el1", "0x00000000410fd034\n");
  tree.write("devices/system/cpu/cpu4/regs/identification/midr_el1", "0x00000000410fd083\n");
  const Read got = read(tree.path(), "arm64");
  EXPECT_EQ(got.find("armv8_cortex_a53")->cpuid, "0x00000000410fd034");
  EXPECT_EQ(got.find("armv8_cortex_a72")->cpuid, "0x00000000410fd083");
  EXPECT_EQ(got.find("software")->cpuid, "");
}

TEST(SysfsPmus, ReadsTheSharedTrees) {
  const struct {
    const char *archive, *root, *arch, *core;
    std::size_t pmus;
  } cases[] = {
      {"sysfs/skylakex.tgz", "", "x86", "cpu", 20},
      {"sysfs/amdzen4.tgz", "", "x86", "cpu", 6},
      {"sysfs/neoverse-n1.tgz", "", "arm64", "armv8_pmuv3_0", 2},
      {"recordings/arm64-cortex-a53.sysfs.tgz", "sys", "arm64", "armv8_pmuv3", 6},
  };
  for (const auto& c : cases) {
    const TempDir tree;
    if (!test::unpack_shared(tree, c.archive)) GTEST_SKIP() << "EVNAME_SHARED is not set";
    const Read got = read(tree.path(c.root), c.arch);
    ASSERT_FALSE(got.pmus.empty());
    EXPECT_EQ(got.pmus[0].name, c.core) << c.archive;
    EXPECT_EQ(got.pmus.size(), c.pmus) << c.archive;
    EXPECT_TRUE(got.warnings.empty()) << c.archive << ": " << got.warnings.front();
  }
}

}  // namespace
}  // namespace evname::pmu
