// The texts for each errno of perf_event_open(2). Levels: kernel.perf_event_paranoid of
// Documentation/admin-guide/sysctl/kernel.rst: 0 permits CPUs, 1 the kernel, 2 user space.

#include "counting/refusal.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>

#include "support/fake_machine.hpp"
#include "support/temp_dir.hpp"

namespace evname::counting {
namespace {

TEST(Refusals, SayWhatWouldHelp) {
  test::TempDir dir;
  dir.write("proc/sys/kernel/perf_event_paranoid", "3\n");
  dir.write("proc/sys/fs/file-max", "4711\n");
  dir.write("proc/sys/kernel/nmi_watchdog", "0\n");
  const Roots roots{.sysfs = dir.path("sys"), .procfs = dir.path("proc")};
  const Machine machine = test::skylakex_machine();
  constexpr Counters::Place kCpu{.cpu = 1}, kThread{.thread = 0}, kBoth{.thread = 0, .cpu = 1};
  const struct {
    const char* event;
    Counters::Place place;
    int error;
    const char* text;
    bool in_group = false, of_cgroup = false;
  } rows[] = {
      {"page-faults", kCpu, EACCES, "what runs on a CPU needs 0 or less"},
      {"page-faults", kBoth, EACCES, "the kernel needs 1 or less"},
      {"page-faults:u", kBoth, EPERM, "user space needs 2 or less"},
      {"page-faults", kThread, EMFILE, "a process may have "},
      {"page-faults", kThread, ENFILE, "the system has at most 4711"},
      {"page-faults", kCpu, ENODEV, "CPU 1 is not online"},
      {"cycles:pp", kThread, EINVAL, "precise level"},
      {"cycles", kThread, EINVAL, "together with the events before it", true},
      {"cycles:u", kCpu, EINVAL, "leave out the modifiers"},
      {"cycles", kThread, EINVAL, "as it is asked for"},
      {"cycles", kThread, EBUSY, "another program counts exclusively"},
      {"cycles", kThread, ESRCH, "there is no thread 0"},
      {"mem:0x10", kThread, ENOSPC, "breakpoint registers"},
      {"cycles", kThread, E2BIG, "too old for config words"},
      {"cycles", kCpu, EBADF, "hierarchy that perf counts", false, true},
      {"cycles", kCpu, EBADF, "Bad file descriptor"},
  };
  for (const auto& row : rows) {
    const auto events = machine.resolve(row.event);
    ASSERT_TRUE(events) << row.event;
    const Refused refused{events->front(), row.place, row.in_group, row.of_cgroup};
    const std::string text = refusal(refused, row.error, machine, roots).text();
    EXPECT_NE(text.find(row.text), text.npos) << row.event << ": " << text;
    EXPECT_TRUE(text.starts_with(row.event)) << text;
  }
}

}  // namespace
}  // namespace evname::counting
