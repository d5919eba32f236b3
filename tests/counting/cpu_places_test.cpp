// CPUs of sysfs trees: where they are, and those that are unplugged.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

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

/// "thread/cpu" of each place, or the error.
std::string places_text(const Result<counting::ResolvedTarget>& target) {
  if (!target) return target.error().text();
  std::string out = target->of_task ? "task" : "cpus";
  for (const Counters::Place& place : target->places)
    out += fmt::format(" {}/{}", place.thread, place.cpu);
  return out;
}

TEST_F(CpuPlaces, TargetsAreThreadsOrCpus) {
  write("cpu/online", "0,2-3");
  root_.write("self/status", "");
  root_.write("70/task/70/status", "");
  root_.write("70/task/71/status", "");
  root_.write("70/task/text/status", "");
  CountTarget two = CountTarget::thread(5), none = CountTarget::thread(0),
              nobody = CountTarget::process(70);
  two.ids.push_back(6);
  nobody.ids.clear();
  CountTarget processes = CountTarget::process(70);
  processes.ids.push_back(72);
  const std::string ended = " (it has ended, or its number is wrong)";
  const std::pair<CountTarget, std::string> rows[] = {
      {CountTarget::this_thread(), "task 0/-1"},
      {two, "task 5/-1 6/-1"},
      {none, "there is no thread 0" + ended},
      {CountTarget::process(70), "task 70/-1 71/-1"},
      {processes, "there is no process 72" + ended},
      {nobody, "nothing is named to count in"},
      {CountTarget::on_cpus(), "cpus -1/0 -1/2 -1/3"},
      {CountTarget::on_cpus({3, 0}), "cpus -1/3 -1/0"},
      {CountTarget::on_cpus({0, 1}), "CPU 1 is not online"},
  };
  const Roots roots{.sysfs = root_.path(), .procfs = root_.path()};
  for (const auto& [target, expected] : rows)
    EXPECT_EQ(places_text(counting::ResolvedTarget::find(target, roots)), expected);
}

// An event of an uncore PMU is counted on the PMU's CPUs, an event of a core PMU on the CPUs
// that have it.
TEST_F(CpuPlaces, EventsAreCountedWhereTheirPmuIs) {
  write("cpu/online", "0-3");
  const Roots roots{.sysfs = root_.path(), .procfs = root_.path()};
  const struct {
    CountTarget target;
    std::vector<unsigned> cpus;
    bool is_uncore;
    std::string expected;
  } rows[] = {
      {CountTarget::thread(5), {}, false, " 5/-1"},
      {CountTarget::thread(5), {2, 3}, false, " 5/-1"},
      {CountTarget::thread(5), {2, 3}, true, " -1/2 -1/3"},
      {CountTarget::thread(5), {}, true, " -1/0"},
      {CountTarget::on_cpus(), {}, true, " -1/0 -1/1 -1/2 -1/3"},
      {CountTarget::on_cpus(), {2, 3, 9}, false, " -1/2 -1/3"},
      {CountTarget::on_cpus({1}), {2, 3}, true, ""},
  };
  for (const auto& row : rows) {
    const auto target = counting::ResolvedTarget::find(row.target, roots);
    ASSERT_TRUE(target);
    std::string out;
    for (const Counters::Place& place : counting::places_of(*target, row.cpus, row.is_uncore))
      out += fmt::format(" {}/{}", place.thread, place.cpu);
    EXPECT_EQ(out, row.expected);
  }
}

}  // namespace
}  // namespace evname
