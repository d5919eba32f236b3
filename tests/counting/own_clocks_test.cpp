// The times of threads and CPUs. Their files are in proc(5): /proc/ID/stat, and /proc/stat with a
// line for each CPU.
#include "counting/own_clocks.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "support/temp_dir.hpp"

namespace evname::counting {
namespace {

constexpr std::uint64_t kSecondOfClock = 1'000'000'000;

// Some 4,000 CPUs fill 200 KB, and the interrupts of all are on one line.
TEST(OwnClocks, TheLineOfACpuIsFoundHoweverManyThereAre) {
  constexpr int kCpus = 4000;
  std::string text = "cpu  1 2 3 4 5 6 7 8 9 10\n";
  for (int cpu = 0; cpu < kCpus; ++cpu) {
    const std::string number = std::to_string(cpu);
    text += "cpu" + number + " " + number + " 7 " + std::to_string(2 * cpu) +
            " 123456789 88 0 99 0 0 0\n";
  }
  text += "intr " + std::string(100'000, '0') + "\ncpu4000 1 1 1 1\n";
  const test::TempDir folder{{"stat", text}};
  const std::string path = folder.path("stat");
  const std::uint64_t tick = kSecondOfClock / static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  for (int cpu = 0; cpu < kCpus; cpu += 37) {
    const auto number = static_cast<std::uint64_t>(cpu);
    EXPECT_EQ(time_of_cpu(path.c_str(), ClockKind::user, cpu), number * tick) << cpu;
    EXPECT_EQ(time_of_cpu(path.c_str(), ClockKind::system, cpu), 2 * number * tick) << cpu;
  }
  EXPECT_EQ(time_of_cpu(path.c_str(), ClockKind::user, 4000), tick);
  EXPECT_EQ(time_of_cpu(path.c_str(), ClockKind::user, 4001), std::nullopt);
  EXPECT_EQ(time_of_cpu("/nonexistent", ClockKind::user, 0), std::nullopt);
}

TEST(OwnClocks, TheTimeOfAThreadStaysWhenItEnds) {
  std::atomic<int> id = 0;
  std::atomic<bool> ends = false;
  std::thread worker([&] {
    id = gettid();
    while (!ends) continue;
  });
  while (id == 0) std::this_thread::yield();
  OwnClock clock(ClockKind::user, CountTarget::Kind::threads, {.thread = id});
  OwnClock stopped(ClockKind::system, CountTarget::Kind::threads, {.thread = id});
  clock.start();
  stopped.start();
  const auto most = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (clock.read().value == 0 && std::chrono::steady_clock::now() < most)
    std::this_thread::yield();
  const std::uint64_t before = clock.read().value;
  EXPECT_GT(before, 0u);
  ends = true;
  worker.join();
  const std::string place = "/proc/" + std::to_string(id) + "/task/" + std::to_string(id);
  while (access(place.c_str(), F_OK) == 0 && std::chrono::steady_clock::now() < most)
    std::this_thread::yield();  // the kernel forgets it a little later
  stopped.stop();
  EXPECT_EQ(clock.read().value, before);
  clock.stop();
  EXPECT_EQ(clock.read().value, before);
  EXPECT_LT(stopped.read().value, 20 * kSecondOfClock);
  OwnClock late(ClockKind::user, CountTarget::Kind::threads, {.thread = id});
  late.start();
  EXPECT_EQ(late.read().value, 0u);
}

// Whatever the order of these calls, no clock has run for longer than the test.
TEST(OwnClocks, AreStartedStoppedAndReadByAnyThread) {
  OwnClock clock(ClockKind::duration, CountTarget::Kind::this_thread, {.thread = 0});
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return static_cast<std::uint64_t>(
        std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count());
  };
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int round = 0; round < 20'000; ++round) {
        clock.start();
        const CounterValue now = clock.read();
        clock.stop();
        const std::uint64_t most = elapsed();
        wrong += now.value > most || now.enabled > most;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  const std::uint64_t stopped = clock.read().value;
  EXPECT_LE(stopped, elapsed());
  EXPECT_EQ(clock.read().value, stopped);
}

}  // namespace
}  // namespace evname::counting
