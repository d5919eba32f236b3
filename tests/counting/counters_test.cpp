// Counters, by what the kernel counts itself: page faults of a known number, CPU time, switches.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "evname/counters.hpp"
#include "support/temp_dir.hpp"

namespace evname {
namespace {

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define EVNAME_OWN_PAGES 1
#endif
#endif
// AddressSanitizer keeps frames of functions in its own pages, and one may be new.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EVNAME_FRAME_PAGES 2
#endif
#endif
#if !defined(EVNAME_FRAME_PAGES) && defined(__SANITIZE_ADDRESS__)
#define EVNAME_FRAME_PAGES 2
#elif !defined(EVNAME_FRAME_PAGES)
#define EVNAME_FRAME_PAGES 0
#endif
#if defined(__SANITIZE_THREAD__) || defined(EVNAME_OWN_PAGES)
constexpr bool kOwnPages = true;
#else
constexpr bool kOwnPages = false;
#endif

constexpr std::size_t kPages = 64;

/// Exactly kPages; with AddressSanitizer a few more.
bool is_pages(double count) { return count >= kPages && count <= kPages + EVNAME_FRAME_PAGES; }

/// CPU time may be counted in ticks: nanoseconds of the longest, at 100 Hz.
constexpr std::uint64_t kTick = 10'000'000;

/// Exactly one fault each, as the pages are small and new. They are always at the same place: of
/// another AddressSanitizer would touch a page of its own.
void touch_pages() {
  static const auto kSize = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  thread_local void* const at =
      mmap(nullptr, kPages * kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(at, MAP_FAILED);
  madvise(at, kPages * kSize, MADV_NOHUGEPAGE);
  for (std::size_t page = 0; page < kPages; ++page)
    static_cast<volatile char*>(at)[page * kSize] = 1;
  madvise(at, kPages * kSize, MADV_DONTNEED);
}

std::size_t open_files() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

class CountersTest : public testing::Test {
 protected:
  void SetUp() override {
    auto machine = Machine::live();
    ASSERT_TRUE(machine) << machine.error().text();
    machine_.emplace(std::move(*machine));
    const auto probe = Counters::open(*machine_, "page-faults:u");
    if (!probe) GTEST_SKIP() << probe.error().text();
    // The first call excludes pages of sanitizers, the C library and the code of these functions.
    ASSERT_TRUE(probe->enable());
    touch_pages();
    ASSERT_TRUE(probe->disable());
    values_of(*probe);
  }

  Counters open(std::string_view events, const CountTarget& target = {},
                const CounterOptions& options = {}) {
    auto counters = Counters::open(*machine_, events, target, options);
    if (!counters) throw std::runtime_error(counters.error().text());
    return std::move(*counters);
  }

  static std::vector<CounterValue> values_of(const Counters& counters) {
    std::vector<CounterValue> values(counters.events().size());
    const auto done = counters.read(values);
    if (!done) ADD_FAILURE() << done.error().text();
    return values;
  }

  std::optional<Machine> machine_;
};

TEST_F(CountersTest, CountExactlyWhatHappensBetweenEnableAndDisable) {
  if (kOwnPages) GTEST_SKIP() << "ThreadSanitizer touches pages of its own";
  const Counters counters = open("page-faults:u");
  touch_pages();
  EXPECT_EQ(values_of(counters)[0].value, 0u);
  EXPECT_FALSE(values_of(counters)[0].is_counted());
  ASSERT_TRUE(counters.enable());
  touch_pages();
  ASSERT_TRUE(counters.disable());
  touch_pages();
  const auto values = values_of(counters);
  EXPECT_PRED1(is_pages, values[0].value);
  EXPECT_EQ(values[0].scaled, double(values[0].value));
  EXPECT_FALSE(values[0].is_scaled());
  EXPECT_TRUE(values[0].is_counted());
  EXPECT_EQ(counters.user_readable(), 0u);  // the kernel counts it, no register
}

TEST_F(CountersTest, GroupsHaveOneTimeForAllAndKeepTheOrderOfTheirEvents) {
  if (kOwnPages) GTEST_SKIP() << "ThreadSanitizer touches pages of its own";
  for (const char* const events : {"{page-faults:u,task-clock:u,minor-faults:u}",
                                   "page-faults:u,task-clock:u,minor-faults:u"}) {
    SCOPED_TRACE(events);
    const bool grouped = events[0] == '{';
    const Counters counters = open(events);
    ASSERT_EQ(counters.events().size(), 3u);
    EXPECT_EQ(counters.events()[2].leader, grouped ? 0u : 2u);
    ASSERT_TRUE(counters.enable());
    touch_pages();
    ASSERT_TRUE(counters.disable());
    const auto values = values_of(counters);
    EXPECT_PRED1(is_pages, values[0].value);
    EXPECT_PRED1(is_pages, values[2].value);
    EXPECT_GT(values[1].value, 0u);
    if (grouped) {
      EXPECT_EQ(values[0].enabled, values[2].enabled);
    }
  }
}

TEST_F(CountersTest, SchedulesCountEachEventOnce) {
  const Counters counters =
      open("page-faults:u,page-faults:u", {}, {.groups = Grouping::scheduled});
  EXPECT_EQ(counters.events().size(), 1u);
}

TEST_F(CountersTest, AreReadInAnyThread) {
  const Counters counters =
      open("{page-faults:u,task-clock:u},context-switches:u,duration_time,user_time");
  ASSERT_TRUE(counters.enable());
  std::vector<CounterValue> values(counters.events().size());
  bool all = true;
  for (int i = 0; i < 100; ++i) all &= counters.read(values).has_value();
  EXPECT_TRUE(all);
  std::vector<std::thread> threads;
  std::atomic<int> failed = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      std::vector<CounterValue> own(counters.events().size());
      for (int i = 0; i < 1000; ++i) failed += !counters.read(own);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
}

TEST_F(CountersTest, TooLittleRoomIsAnError) {
  const Counters counters = open("page-faults:u,task-clock:u");
  std::vector<CounterValue> values(1);
  const auto done = counters.read(values);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Errc::invalid_argument);
}

TEST_F(CountersTest, OwnClocksTellNanoseconds) {
  const Counters counters = open("duration_time,user_time,system_time");
  rusage before{}, after{};
  ASSERT_TRUE(counters.enable());
  getrusage(RUSAGE_THREAD, &before);
  const auto used = [&] {
    getrusage(RUSAGE_THREAD, &after);
    return (after.ru_utime.tv_sec - before.ru_utime.tv_sec) * 1'000'000 + after.ru_utime.tv_usec -
           before.ru_utime.tv_usec;
  };
  while (used() < 30'000) {
  }
  ASSERT_TRUE(counters.disable());
  const auto values = values_of(counters);
  EXPECT_GE(values[0].value, 30'000'000u);
  EXPECT_GE(values[1].value, 29'000'000u);
  EXPECT_LE(values[1].value + values[2].value, values[0].value + kTick);
  EXPECT_EQ(values_of(counters)[0].value, values[0].value);  // it stands still
}

TEST_F(CountersTest, InheritCountsChildrenAndOnlyIfAsked) {
  for (const bool inherit : {false, true}) {
    const Counters counters = open("page-faults:u", {}, {.inherit = inherit});
    ASSERT_TRUE(counters.enable());
    std::thread([] { touch_pages(); }).join();
    ASSERT_TRUE(counters.disable());
    EXPECT_EQ(values_of(counters)[0].value >= kPages, inherit);
  }
}

TEST_F(CountersTest, EnableOnExecCountsAnotherProcessFromItsProgramOn) {
  int go[2];
  ASSERT_EQ(pipe2(go, O_CLOEXEC), 0);
  const pid_t child = fork();
  if (child == 0) {
    char byte;
    touch_pages();
    if (read(go[0], &byte, 1) == 1) execlp("true", "true", nullptr);
    _exit(1);
  }
  {
    const Counters counters = open("page-faults:u", CountTarget::thread(child),
                                   {.inherit = true, .enable_on_exec = true});
    EXPECT_EQ(values_of(counters)[0].enabled, 0u);
    ASSERT_EQ(write(go[1], "!", 1), 1);
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_GT(values_of(counters)[0].value, 0u);
  }
  close(go[0]);
  close(go[1]);
}

// The kernel's PMU msr under another name, and with a cpumask as units outside the cores have it:
// it counts CPU 0. perf starts such events before the program, since the kernel starts only events
// of a thread with its execution.
TEST_F(CountersTest, WhatSeesNoExecutionIsEnabledWhenItIsOpened) {
  std::ifstream file("/sys/bus/event_source/devices/msr/type");
  std::string type;
  if (!(file >> type)) GTEST_SKIP() << "needs the PMU msr of x86";
  const test::TempDir sys{{"devices/system/cpu/online", "0"},
                          {"bus/event_source/devices/uncore_msr/type", type},
                          {"bus/event_source/devices/uncore_msr/cpumask", "0"},
                          {"bus/event_source/devices/uncore_msr/format/event", "config:0-63"},
                          {"bus/event_source/devices/uncore_msr/events/tsc", "event=0x00"}};
  const Roots roots{.sysfs = sys.path()};
  const auto machine = Machine::live(roots);
  ASSERT_TRUE(machine) << machine.error().text();
  constexpr struct {
    const char* event;
    bool on_exec, counts;
  } kRows[] = {
      {"uncore_msr/tsc/", true, true}, {"uncore_msr/tsc/", false, false},
      {"duration_time", true, true},   {"duration_time", false, false},
      {"page-faults:u", true, false},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(std::string(row.event) + (row.on_exec ? " on exec" : ""));
    const auto counters = Counters::open(*machine, row.event, CountTarget::this_thread(),
                                         {.enable_on_exec = row.on_exec, .roots = roots});
    // perf_event_paranoid of 2 lets users count only what can leave out the kernel.
    if (!counters && (counters.error().code == Errc::io || geteuid() != 0))
      GTEST_SKIP() << counters.error().text();
    ASSERT_TRUE(counters) << counters.error().text();
    touch_pages();
    EXPECT_EQ(values_of(*counters)[0].is_counted(), row.counts);
  }
}

TEST_F(CountersTest, CpusAreAddedUpAndToldApart) {
  auto opened = Counters::open(*machine_, "cpu-clock", CountTarget::on_cpus());
  if (!opened) GTEST_SKIP() << opened.error().text();
  EXPECT_EQ(opened->places().size(), static_cast<std::size_t>(sysconf(_SC_NPROCESSORS_ONLN)));
  ASSERT_TRUE(opened->enable());
  touch_pages();
  ASSERT_TRUE(opened->disable());
  std::uint64_t sum = 0;
  for (std::size_t place = 0; place < opened->places().size(); ++place) {
    EXPECT_TRUE(opened->has_counter(0, place));
    CounterValue value;
    ASSERT_TRUE(opened->read_at(place, {&value, 1}));
    EXPECT_GT(value.value, 0u);
    sum += value.value;
  }
  EXPECT_EQ(values_of(*opened)[0].value, sum);
}

TEST_F(CountersTest, CgroupsCountWhatIsInThem) {
  const auto all = Counters::open(*machine_, "task-clock", CountTarget::in_cgroup("."));
  if (!all) GTEST_SKIP() << all.error().text();
  ASSERT_TRUE(all->enable());
  touch_pages();
  ASSERT_TRUE(all->disable());
  EXPECT_GT(values_of(*all)[0].value, 0u);
  const auto none = Counters::open(*machine_, "page-faults", CountTarget::in_cgroup("no/such"));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::not_found);
}

TEST_F(CountersTest, FilesAreCloseOnExecAndNoneLeak) {
  const std::size_t before = open_files();
  for (int i = 0; i < 2'000; ++i) {
    const auto counters = Counters::open(*machine_, "{page-faults:u,task-clock:u}");
    ASSERT_TRUE(counters) << counters.error().text();
    if (i == 0) {
      EXPECT_EQ(open_files(), before + 2);
      for (int file = 3; file < 64; ++file)
        if (const int flags = fcntl(file, F_GETFD); flags >= 0) {
          char name[64] = {};
          const std::string link = "/proc/self/fd/" + std::to_string(file);
          const auto length = readlink(link.c_str(), name, sizeof name - 1);
          if (length > 0 && std::string(name).find("perf_event") != std::string::npos) {
            EXPECT_TRUE(flags & FD_CLOEXEC);
          }
        }
    }
  }
  EXPECT_EQ(open_files(), before);
}

TEST_F(CountersTest, FailedOpeningsLeaveNothingOpen) {
  const std::size_t before = open_files();
  EXPECT_FALSE(Counters::open(*machine_, "page-faults:u,no_such_event"));
  EXPECT_FALSE(Counters::open(*machine_, "{page-faults:u,task-clock:u}", CountTarget::thread(-7)));
  EXPECT_EQ(open_files(), before);
}

TEST_F(CountersTest, ErrorsSayWhichEventAndWhatToDo) {
  const auto gone = Counters::open(*machine_, "page-faults:u", CountTarget::process(1 << 30));
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, Errc::not_found);
  const auto pmus = machine_->pmus();
  const bool has_core =
      std::ranges::any_of(pmus, [](const PmuInfo& pmu) { return pmu.is_core && pmu.is_present; });
  const auto lacking = Counters::open(*machine_, "page-faults:u,cycles:u");
  if (!has_core) {
    ASSERT_FALSE(lacking);
    EXPECT_EQ(lacking.error().code, Errc::unsupported);
    EXPECT_EQ(lacking.error().message.find("cycles:u: this "), 0u);
    EXPECT_NE(lacking.error().message.find("has no core PMU"), std::string::npos);
    const Counters rest = open("page-faults:u,cycles:u", {}, {.partial = true});
    EXPECT_EQ(rest.problem(0), nullptr);
    ASSERT_NE(rest.problem(1), nullptr);
    EXPECT_EQ(values_of(rest)[1].enabled, 0u);
  }
}

/// As the user nobody, who has no capabilities: in a child, as there is no way back.
TEST_F(CountersTest, RefusedPermissionsAreExplained) {
  std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
  int level = -1;
  file >> level;
  if (geteuid() != 0 || level < 2) GTEST_SKIP() << "needs root and perf_event_paranoid of 2";
  // Above 2, kernels of some distributions permit nothing, and Linux itself what 2 does.
  const bool is_strict = level > 2;
  const std::string refused =
      "page-faults: not permitted (kernel.perf_event_paranoid is " + std::to_string(level) + ";";
  const pid_t child = fork();
  if (child == 0) {
    if (setgid(65534) != 0 || setuid(65534) != 0) _exit(9);
    const auto kernel =
        Counters::open(*machine_, "page-faults", {}, {.user_space_if_refused = false});
    const auto user = Counters::open(*machine_, "page-faults");
    const auto all = Counters::open(*machine_, "page-faults:u", CountTarget::on_cpus());
    const auto has = [](const auto& result, const char* text) {
      return !result && result.error().text().find(text) != std::string::npos;
    };
    const bool knows_cpus =
        std::ifstream("/sys/devices/system/cpu/online").good();  // in a chroot not
    _exit((has(kernel, refused.c_str()) ? 0 : 1) |
          (is_strict || has(kernel, "page-faults:u counts user space alone") ? 0 : 2) |
          ((user ? user->events()[0].modifiers == "u" : is_strict) ? 0 : 4) |
          (!knows_cpus || has(all, "CAP_PERFMON") ? 0 : 8));
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// The bits are those that perf stat 7.3 sets for --all-user and --all-kernel.
TEST_F(CountersTest, SpacesOverruleModifiers) {
  const auto user = Counters::open(*machine_, "page-faults,task-clock:k", {},
                                   {.space = CounterOptions::Space::user});
  ASSERT_TRUE(user) << user.error().text();
  for (const Encoding& event : user->events()) {
    EXPECT_FALSE(event.bits.exclude_user);
    EXPECT_TRUE(event.bits.exclude_kernel);
    EXPECT_EQ(event.bits.exclude_hv, event.modifiers == "k");
  }
  const auto kernel =
      Counters::open(*machine_, "page-faults:u", {}, {.space = CounterOptions::Space::kernel});
  if (!kernel) GTEST_SKIP() << kernel.error().text();
  EXPECT_TRUE(kernel->events()[0].bits.exclude_user);
  EXPECT_FALSE(kernel->events()[0].bits.exclude_kernel);
}

TEST_F(CountersTest, AScopeKnowsItsOwnCost) {
  if (kOwnPages) GTEST_SKIP() << "ThreadSanitizer touches pages of its own";
  const Counters counters = open("page-faults:u,task-clock:u");
  ASSERT_TRUE(counters.enable());
  CountScope scope(counters);
  ASSERT_TRUE(scope.measure_cost());
  EXPECT_EQ(scope.cost()[0].value, 0u);
  EXPECT_GT(scope.cost()[1].value, 0u);
  ASSERT_TRUE(scope.start());
  touch_pages();
  ASSERT_TRUE(scope.stop());
  EXPECT_PRED1(is_pages, scope.counted()[0].value);
  EXPECT_PRED1(is_pages, scope.net(0).value);
  EXPECT_LT(scope.net(1).value, scope.counted()[1].value);
  EXPECT_GT(scope.net(1).value, 0u);
}

// More than the least would be taken from nearly all counts.
TEST_F(CountersTest, TheCostIsTheLeastOfManyRounds) {
  const Counters counters = open("task-clock:u");
  ASSERT_TRUE(counters.enable());
  CountScope scope(counters);
  ASSERT_TRUE(scope.measure_cost(2000));
  int above = 0;
  for (int round = 0; round < 200; ++round) {
    ASSERT_TRUE(scope.start());
    ASSERT_TRUE(scope.stop());
    above += scope.net(0).scaled > 0;
  }
  EXPECT_GT(above, 20);
  // The first round takes longer than later ones: what is below the cost is 0, not beyond all
  // limits.
  CountScope first(counters);
  ASSERT_TRUE(first.measure_cost(1));
  for (int round = 0; round < 200; ++round) {
    ASSERT_TRUE(first.start());
    ASSERT_TRUE(first.stop());
    ASSERT_LE(first.net(0).value, first.counted()[0].value);
  }
}

TEST_F(CountersTest, AForkedProcessMayReadToo) {
  const Counters counters = open("page-faults:u");
  ASSERT_TRUE(counters.enable());
  touch_pages();
  const pid_t child = fork();
  if (child == 0) _exit(values_of(counters)[0].value >= kPages ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(CounterValueTest, ScalesEachPlaceOnItsOwn) {
  // value, enabled, running: the differences of two reads, and their sum.
  const CounterValue first{100, 1000, 1000, 100}, later{300, 3000, 2000, 450};
  const CounterValue half = later.since(first);
  EXPECT_EQ(half.value, 200u);
  EXPECT_EQ(half.scaled, 400);  // 200 * 2000 / 1000
  EXPECT_TRUE(half.is_scaled());
  CounterValue sum = first;
  sum += half;
  EXPECT_EQ(sum.scaled, 500);
  EXPECT_FALSE((CounterValue{7, 1000, 0, 0}.is_counted()));
}

}  // namespace
}  // namespace evname
