// CPUs of sysfs trees: where they are, and those that are unplugged.

#include <gtest/gtest.h>

#include <map>

#include "counting/places.hpp"
#include "evname/counters.hpp"
#include "support/temp_dir.hpp"

namespace evname {
namespace {

class CpuPlaces : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    root_.write("devices/system/" + path, text + '\n');
  }
  Roots roots() const { return {.sysfs = root_.path(), .procfs = "/proc"}; }

  test::TempDir root_;
};

TEST_F(CpuPlaces, UnpluggedCpusAreNotThere) {
  write("cpu/online", "0,2-3");
  for (const int cpu : {0, 1, 2, 3}) {
    const std::string topology = "cpu/cpu" + std::to_string(cpu) + "/topology/";
    write(topology + "physical_package_id", cpu < 2 ? "0" : "36");
    write(topology + "die_id", "1");
    write(topology + "core_id", std::to_string(cpu * 4));
    write(topology + "cluster_id", "-1");
  }
  write("node/node0/cpulist", "0-1");
  write("node/node7/cpulist", "2-3");
  const auto cpus = counting::online_cpus(roots());
  ASSERT_TRUE(cpus) << cpus.error().text();
  ASSERT_EQ(cpus->size(), 3u);
  const counting::CpuPlace& last = cpus->back();
  EXPECT_EQ(last.cpu, 3u);
  EXPECT_EQ(last.socket, 36);
  EXPECT_EQ(last.die, 1);
  EXPECT_EQ(last.cluster, -1);
  EXPECT_EQ(last.core, 12);
  EXPECT_EQ(last.node, 7);
  EXPECT_EQ(cpus->front().node, 0);
}

TEST_F(CpuPlaces, ATreeWithoutTopologyStillHasItsCpus) {
  write("cpu/online", "1,0");
  const auto cpus = counting::online_cpus(roots());
  ASSERT_TRUE(cpus);
  EXPECT_EQ(cpus->front().cpu, 0u);
  EXPECT_EQ(cpus->back().socket, -1);
}

TEST_F(CpuPlaces, ATreeWithoutCpusIsAnError) {
  const auto cpus = counting::online_cpus(roots());
  ASSERT_FALSE(cpus);
  EXPECT_EQ(cpus.error().code, Errc::not_found);
}

TEST_F(CpuPlaces, AnUnpluggedCpuCanNotBeCountedOn) {
  write("cpu/online", "0");
  const auto machine = Machine::live();
  ASSERT_TRUE(machine);
  const auto counters =
      Counters::open(*machine, "cpu-clock", CountTarget::on_cpus({1}), {.roots = roots()});
  ASSERT_FALSE(counters);
  EXPECT_EQ(counters.error().text(), "CPU 1 is not online");
}

// perf_event of version 1 is a mount option, the last one on most systems (cgroups(7)).
TEST_F(CpuPlaces, CgroupsAreThoseThatPerfCounts) {
  const std::pair<const char*, const char*> kRows[] = {
      {"", ""},
      {"proc /proc proc rw 0 0\n", ""},
      {"cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n", "/sys/fs/cgroup"},
      {"cgroup2 /unified cgroup2 rw 0 0\ncgroup2 /other cgroup2 rw 0 0\n", "/unified"},
      {"cgroup2 /unified cgroup2 rw 0 0\ncgroup /v1 cgroup rw,nosuid,perf_event 0 0\n", "/v1"},
      {"cgroup /v1 cgroup rw,perf_event,net_cls 0 0\n", "/v1"},
      {"cgroup /v1 cgroup perf_event 0 0\n", "/v1"},
      {"cgroup /v1 cgroup rw,perf_events 0 0\ncgroup /v2 cgroup rw,no_perf_event 0 0\n", ""},
      {"cgroup /v1 cgroup rw,memory 0 0\n", ""},
  };
  for (const auto& [mounts, place] : kRows) {
    root_.write("self/mounts", mounts);
    EXPECT_EQ(counting::cgroup_mount({.sysfs = root_.path(), .procfs = root_.path()}), place)
        << mounts;
  }
}

}  // namespace
}  // namespace evname
