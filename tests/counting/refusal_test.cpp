// The texts for each errno of perf_event_open(2). Levels: kernel.perf_event_paranoid of
// Documentation/admin-guide/sysctl/kernel.rst: 0 permits CPUs, 1 the kernel, 2 user space.

#include "counting/refusal.hpp"

#include <fmt/format.h>
#include <fmt/printf.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <string>
#include <tuple>
#include <utility>

#include "support/fake_machine.hpp"
#include "support/temp_dir.hpp"

namespace evname::counting {
namespace {

class Refusals : public testing::Test {
 protected:
  /// The error, and the hint in brackets.
  std::string text(const char* event, Counters::Place place, int error, bool in_group = false) {
    const auto events = machine.resolve(event);
    if (!events) return events.error().text();
    const Error out = refusal({events->front(), place, in_group, of_cgroup}, error, machine, roots);
    return out.message + (out.hint.empty() ? "" : " [" + out.hint + "]");
  }
  void set(const std::string& name, const std::string& value) {
    dir.write("proc/sys/" + name, value + "\n");
  }

  test::TempDir dir;
  const Roots roots{.sysfs = dir.path("sys"), .procfs = dir.path("proc")};
  const Machine machine = test::skylakex_machine();
  bool of_cgroup = false;
  static constexpr Counters::Place kCpu{.cpu = 1}, kThread{.thread = 0},
      kBoth{.thread = 0, .cpu = 1};
};

TEST_F(Refusals, OfPermissionNameTheLevelThatPermits) {
  const char *lower =
                 "as root, sysctl kernel.perf_event_paranoid=%d permits it, as does CAP_PERFMON",
             *seccomp = "a container's seccomp filter may forbid perf_event_open";
  const struct {
    const char *level, *event;
    Counters::Place place;
    const char *needs, *first;
    int permitted;
  } rows[] = {
      {"3", "page-faults", kCpu, "; what runs on a CPU needs 0 or less", "", 0},
      {"3", "page-faults", kBoth, "; the kernel needs 1 or less", "", 1},
      {"3", "page-faults:u", kBoth, "; user space needs 2 or less", "", 2},
      {"2", "page-faults", kThread, "; the kernel needs 1 or less",
       "page-faults:u counts user space alone; ", 1},
      {"2", "page-faults:u", kThread, "", seccomp, -1},
      {"1", "page-faults", kCpu, "; what runs on a CPU needs 0 or less", "", 0},
      {"1", "page-faults", kThread, "", seccomp, -1},
      {"0", "page-faults", kCpu, "", seccomp, -1},
  };
  for (const auto& row : rows)
    for (const int error : {EACCES, EPERM}) {
      set("kernel/perf_event_paranoid", row.level);
      EXPECT_EQ(text(row.event, row.place, error),
                fmt::format("{}: not permitted (kernel.perf_event_paranoid is {}{}) [{}{}{}]",
                            row.event, row.level, row.needs, row.first,
                            row.first == seccomp ? "; " : "", fmt::sprintf(lower, row.permitted)));
    }
  set("kernel/perf_event_paranoid", "-1");  // which permits all there is
  EXPECT_EQ(
      text("page-faults", kCpu, EPERM),
      fmt::format("page-faults: not permitted (kernel.perf_event_paranoid is -1) [{}]", seccomp));
}

// perf_check_permission of kernel/events/core.c asks for ptrace access whatever the level is.
TEST_F(Refusals, OfAThreadOfAnotherUser) {
  dir.write("proc/self/status", "");
  dir.write("proc/77/status", "");  // is ours
  const std::string other =
      "page-faults: not permitted (thread 78 is another user's, or runs with other rights) "
      "[CAP_PERFMON permits it, as does ptrace access to the process (CAP_SYS_PTRACE)";
  for (const auto& [level, end] : {std::pair("2", " with kernel.perf_event_paranoid of 1 or less]"),
                                   std::pair("1", "]"), std::pair("-1", "]")}) {
    set("kernel/perf_event_paranoid", level);
    EXPECT_EQ(text("page-faults", {.thread = 78}, EACCES), other + end);
    EXPECT_EQ(text("page-faults", {.thread = 77}, EACCES).find("another user"), std::string::npos);
  }
}

TEST_F(Refusals, SayWhatWouldHelp) {
  const char *kSingly =
                 " [make the group smaller, or end it with :W to count its events singly then]",
             *kGroup = "the PMU can't count it together with the events before it",
             *kLacks = "the kernel or the PMU hardware does not support it",
             *kAsAsked = "the PMU does not support this event as it is asked for";
  const struct {
    const char* event;
    Counters::Place place;
    int error;
    std::string text;  ///< after the event's name
    bool in_group = false;
  } rows[] = {
      {"page-faults", kThread, ENFILE,
       "too many open files in the system [sysctl fs.file-max permits more]"},
      {"cycles:pp", kThread, EINVAL,
       "the PMU does not support this precise level [leave out the modifier p; counting needs "
       "none]"},
      {"cycles:P", kThread, EINVAL, kAsAsked},
      {"cycles", kThread, EINVAL, std::string(kGroup) + kSingly, true},
      {"cycles:u", kCpu, EINVAL,
       "the PMU can't leave out user space or the kernel [leave out the modifiers]"},
      {"cycles:u", kBoth, EINVAL, kAsAsked},
      {"cycles", kCpu, EINVAL, kAsAsked},
      {"cycles", kThread, EBUSY, "the counter is taken [another program counts exclusively]"},
      {"cycles", {.thread = 5}, ESRCH, "there is no thread 5"},
      {"mem:0x10", kThread, ENOSPC, "all breakpoint registers are taken [count fewer breakpoints]"},
      {"cycles", kThread, E2BIG, "the kernel is too old for config words of this event"},
      {"cycles", kThread, ENOSYS, "this kernel has no perf events"},
      {"cycles", kThread, ENOENT, kLacks},
      {"cycles", kThread, EOPNOTSUPP, kLacks},
      {"cycles", kThread, ENODEV, kLacks},
      {"cycles", kCpu, ENODEV, "CPU 1 is not online"},
      {"cycles", kCpu, EBADF, "Bad file descriptor"},
      {"cycles", kCpu, EIO, "Input/output error"},
  };
  set("kernel/nmi_watchdog", "0");
  for (const auto& row : rows)
    EXPECT_EQ(text(row.event, row.place, row.error, row.in_group),
              std::string(row.event) + ": " + row.text);
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_EQ(text("cycles", kThread, EMFILE),
            fmt::format("cycles: too many open files: a process may have {}, and each event takes "
                        "one on each CPU or "
                        "thread [ulimit -n permits more, or name fewer events or CPUs]",
                        limit.rlim_cur));
  set("fs/file-max", "4711");
  EXPECT_EQ(
      text("cycles", kThread, ENFILE),
      "cycles: too many open files: the system has at most 4711 [sysctl fs.file-max permits more]");
  of_cgroup = true;
  EXPECT_EQ(text("cycles", kCpu, EBADF),
            "cycles: the cgroup is in no hierarchy that perf counts [name a cgroup of version 2, "
            "or of the hierarchy "
            "perf_event]");
  set("kernel/nmi_watchdog", "1");
  EXPECT_EQ(
      text("cycles", kThread, EINVAL, true),
      "cycles: " + std::string(kGroup) +
          " [make the group smaller, or sysctl kernel.nmi_watchdog=0, which frees a counter]");
  EXPECT_EQ(text("cycles", kThread, EBUSY),
            "cycles: the counter is taken [sysctl kernel.nmi_watchdog=0 frees one]");
}

TEST_F(Refusals, HaveCodesThatProgramsCanAsk) {
  const struct {
    Counters::Place place;
    int error;
    Errc code;
  } rows[] = {{kThread, EACCES, Errc::io},          {kThread, EINVAL, Errc::unsupported},
              {kThread, ENOENT, Errc::unsupported}, {kThread, ENODEV, Errc::unsupported},
              {kCpu, ENODEV, Errc::not_found},      {kThread, ESRCH, Errc::not_found},
              {kThread, E2BIG, Errc::unsupported},  {kThread, ENOSYS, Errc::unsupported},
              {kThread, EBUSY, Errc::io},           {kThread, EMFILE, Errc::io}};
  const auto event = machine.resolve("page-faults");
  for (const auto& row : rows)
    EXPECT_EQ(refusal({event->front(), row.place, false, false}, row.error, machine, roots).code,
              row.code)
        << row.error;
}

TEST_F(Refusals, ALackOfACorePmuIsKnownBefore) {
  dir.write("sys/bus/event_source/devices/software/type", "1\n");
  const auto bare = Machine::named("GenuineIntel-6-55-4", dir.path("sys"));
  ASSERT_TRUE(bare) << bare.error().text();
  EXPECT_FALSE(no_core_pmu(machine, roots));
  ASSERT_TRUE(no_core_pmu(*bare, roots));
  EXPECT_FALSE(no_core_pmu(*bare, {.sysfs = dir.path("none"), .procfs = dir.path("proc")}));
  Encoding cycles = machine.resolve("cycles").value().front();
  for (const auto& [cpuinfo, what, hint] :
       {std::tuple("flags\t: fpu\n", "machine", ""),
        std::tuple("flags\t: fpu hypervisor\n", "virtual machine",
                   "the host can give it one; software events can be counted without it")}) {
    dir.write("proc/cpuinfo", cpuinfo);
    EXPECT_EQ(no_core_pmu(*bare, roots)->message, fmt::format("this {} has no core PMU", what));
    const auto known = known_problem(cycles, *bare, roots);
    ASSERT_TRUE(known);
    EXPECT_EQ(known->message, fmt::format("cycles: this {} has no core PMU", what));
    EXPECT_EQ(known->hint, hint);
  }
  EXPECT_FALSE(known_problem(cycles, machine, roots));
  cycles.pmu = "uncore_imc";
  cycles.code.has_type = 0;
  EXPECT_EQ(known_problem(cycles, machine, roots)->message,
            "cycles: this machine has no PMU uncore_imc");
}

}  // namespace
}  // namespace evname::counting
