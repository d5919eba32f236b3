// Which CPUs are online, by sysfs and without it.

#include "events/cpu/live_cpu.hpp"

#include <gtest/gtest.h>

#include "support/temp_dir.hpp"

namespace evname::cpu {
namespace {

// The output of cat on a machine with four CPUs, the second one offline.
constexpr const char* kStat =
    "cpu  119 0 40 9000 3 0 1 0 0 0\ncpu0 60 0 20 4500 1 0 1 0 0 0\ncpu2 30 0 10 2200 1 0 0 0 0 0\n"
    "cpu3 29 0 10 2300 1 0 0 0 0 0\nintr 12 0 cpu9\nctxt 4\n";

TEST(OnlineCpus, ComeFromSysfsOrElseFromProcfs) {
  using Cpus = std::vector<unsigned>;
  const struct {
    const char* sysfs;   // cpu/online, or null
    const char* procfs;  // stat, or null
    Cpus expected;
  } kCases[] = {
      {"2-3,0\n", kStat, {0, 2, 3}},
      {nullptr, kStat, {0, 2, 3}},
      {nullptr, "cpu  1 2 3\ncpux 1\ncpu99999999 1\nintr 1\n", {}},
      {nullptr, nullptr, {}},
  };
  for (const auto& c : kCases) {
    const test::TempDir root;
    if (c.sysfs != nullptr) root.write("sys/devices/system/cpu/online", c.sysfs);
    if (c.procfs != nullptr) root.write("proc/stat", c.procfs);
    EXPECT_EQ(online_numbers({.sysfs = root.path("sys"), .procfs = root.path("proc")}), c.expected);
  }
}

TEST(OnlineCpus, OfAnotherMachineAreNotTakenFromThisOne) {
  const test::TempDir root;
  EXPECT_TRUE(online_numbers({.sysfs = root.path(), .procfs = "/proc"}).empty());
}

}  // namespace
}  // namespace evname::cpu
