// CPUs of sysfs trees: where they are, and those that are unplugged.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "counting/places.hpp"
#include "evname/counters.hpp"

namespace evname {
namespace {

namespace fs = std::filesystem;

class CpuPlaces : public testing::Test {
 protected:
  CpuPlaces()
      : root_(fs::path(testing::TempDir()) /
              (std::string("cpus-") +
               testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(root_);
  }
  ~CpuPlaces() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) {
    const fs::path file = root_ / "devices/system" / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text << '\n';
  }
  Roots roots() const { return {.sysfs = root_.string(), .procfs = "/proc"}; }

  fs::path root_;
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

}  // namespace
}  // namespace evname
