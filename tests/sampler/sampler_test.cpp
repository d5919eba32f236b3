// Live samples, by what the kernel samples itself: a page fault each, at addresses that are known.

#include "evname/sampler.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "evname/annotate.hpp"
#include "evname/profile.hpp"
#include "evname/report.hpp"
#include "evname/sample_filter.hpp"

namespace evname {
namespace {

constexpr std::size_t kSamplerPages = 64;

/// Pages that are not there until they are written.
class FreshPages {
 public:
  FreshPages() {
    madvise(at_, kBytes, MADV_NOHUGEPAGE);
    touch();
  }
  ~FreshPages() { munmap(at_, kBytes); }
  FreshPages(const FreshPages&) = delete;

  /// One fault for each page.
  [[gnu::noinline]] void touch() {
    madvise(at_, kBytes, MADV_DONTNEED);
    for (std::size_t at = 0; at < kBytes; at += kPage) static_cast<volatile char*>(at_)[at] = 1;
  }
  bool has(std::uint64_t address) const {
    return address - reinterpret_cast<std::uintptr_t>(at_) < kBytes;
  }

 private:
  const std::size_t kPage = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t kBytes = kSamplerPages * kPage;
  void* const at_ =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
};

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

std::chrono::nanoseconds time_of_thread() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

/// Spends CPU time in one function.
[[gnu::noinline]] std::uint64_t spin_in_sampler_test(std::chrono::milliseconds time) {
  volatile std::uint64_t sum = 0;
  const auto end = time_of_thread() + time;
  while (time_of_thread() < end)
    for (int i = 0; i < 20000; ++i) sum = sum + 1;
  return sum;
}

class SamplerTest : public testing::Test {
 protected:
  void SetUp() override {
    auto machine = Machine::live();
    ASSERT_TRUE(machine) << machine.error().text();
    machine_.emplace(std::move(*machine));
    const auto probe = Sampler::open(*machine_, "page-faults:u");
    if (!probe) GTEST_SKIP() << probe.error().text();
  }

  static SampledEvents each_fault() { return {.events = "page-faults:u", .period = 1}; }

  Sampler open(std::vector<SampledEvents> events, const CountTarget& target = {},
               const SamplerOptions& options = {}) {
    auto sampler = Sampler::open(*machine_, events, target, options);
    if (!sampler) throw std::runtime_error(sampler.error().text());
    return std::move(*sampler);
  }

  FreshPages pages_;
  std::optional<Machine> machine_;
};

TEST_F(SamplerTest, SamplesComeWhileTheProgramRuns) {
  SampledEvents faults = each_fault();
  faults.fields = "addr, cpu";
  Sampler sampler = open({faults});
  ASSERT_TRUE(sampler.enable());
  for (int round = 0; round < 3; ++round) {
    pages_.touch();
    std::size_t samples = 0;
    std::uint64_t last = 0;
    for (const Sample& sample : sampler.samples()) {
      EXPECT_EQ(sample.pid(), getpid());
      EXPECT_EQ(sample.event().name, "page-faults");
      EXPECT_GE(sample.time().value(), last);
      EXPECT_TRUE(sample.cpu());
      last = *sample.time();
      samples += pages_.has(sample.addr().value());
    }
    EXPECT_EQ(samples, kSamplerPages);
  }
  ASSERT_TRUE(sampler.disable());
  pages_.touch();
  EXPECT_LT(std::ranges::distance(sampler.samples().begin(), sampler.samples().end()), 64);
  EXPECT_EQ(sampler.losses().lost, 0u);
}

TEST_F(SamplerTest, TimesAreThoseOfTheSteadyClock) {
  Sampler sampler = open({each_fault()});
  const auto now = [] {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  };
  const std::uint64_t before = now();
  ASSERT_TRUE(sampler.enable());
  pages_.touch();
  ASSERT_TRUE(sampler.disable());
  const std::uint64_t after = now();
  for (const Sample& sample : sampler.samples()) {
    EXPECT_GE(*sample.time(), before);
    EXPECT_LE(*sample.time(), after);
  }
}

TEST_F(SamplerTest, EachEventHasItsOwnFields) {
  SampledEvents faults = each_fault(), clock{.events = "task-clock:u,cpu-clock:u"};
  faults.fields = "addr";
  clock.period = 100'000;
  clock.chains = CallChains::frame_pointers;
  Sampler sampler = open({faults, clock});
  ASSERT_EQ(sampler.events().size(), 3u);
  ASSERT_TRUE(sampler.enable());
  pages_.touch();
  spin_in_sampler_test(std::chrono::milliseconds(20));
  ASSERT_TRUE(sampler.disable());
  std::map<std::size_t, std::size_t> seen;
  for (const Sample& sample : sampler.samples()) {
    const std::size_t event = sample.event().attr;
    ++seen[event];
    EXPECT_EQ(sample.addr().has_value(), event == 0);
    EXPECT_EQ(sample.callchain().empty(), event == 0);
    EXPECT_EQ(sample.period(), event == 0 ? 1u : 100'000u);
  }
  EXPECT_GE(seen[0], kSamplerPages);
  EXPECT_GT(seen[1], 20u);
  EXPECT_GT(seen[2], 20u);
}

// With a sanitizer, functions of its own take most of the time.
TEST_F(SamplerTest, AScopeNamesTheFunctionsOfItsBlock) {
  if (!Symbols::reads_elf()) GTEST_SKIP() << "the build reads no ELF files";
  Sampler sampler = open({{.events = "cpu-clock:u", .period = 100'000}});
  const Symbols symbols;
  SampleScope scope(sampler, symbols);
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(scope.start());
    spin_in_sampler_test(std::chrono::milliseconds(30));
    ASSERT_TRUE(scope.stop());
  }
  const auto functions = scope.functions();
  const auto found = std::ranges::find_if(functions, [](const SampledFunction& one) {
    return one.function.find("spin_in_sampler_test") != std::string::npos;
  });
  ASSERT_NE(found, functions.end());
  EXPECT_EQ(found->dso, std::filesystem::read_symlink("/proc/self/exe"));
  EXPECT_GT(found->samples, 20u);
  EXPECT_EQ(found->period, found->samples * 100'000);
  EXPECT_TRUE(std::ranges::is_sorted(functions, std::greater(), &SampledFunction::period));
  EXPECT_TRUE(scope.functions(1).empty());
}

TEST_F(SamplerTest, FiltersOfRecordingsChooseLiveSamples) {
  if (!Symbols::reads_elf()) GTEST_SKIP() << "the build reads no ELF files";
  Sampler sampler = open({each_fault(), {.events = "cpu-clock:u", .period = 100'000}});
  const Symbols symbols;
  Locations locations(sampler.recording(), symbols);
  SampleFilter filter;
  filter.sym = "*spin_in_sampler_test*";
  auto selection = Selection::make(filter, sampler.recording(), &locations);
  ASSERT_TRUE(selection) << selection.error().text();
  ASSERT_TRUE(sampler.enable());
  pages_.touch();
  spin_in_sampler_test(std::chrono::milliseconds(20));
  ASSERT_TRUE(sampler.disable());
  std::set<std::string> events;
  std::size_t chosen = 0;
  for (const Sample& sample : sampler.samples()) {
    if (!selection->accepts(sample)) continue;
    ++chosen;
    events.insert(sample.event().name);
  }
  EXPECT_GT(chosen, 10u);
  EXPECT_EQ(events, std::set<std::string>{"cpu-clock"});
}

// 64 samples of 40 bytes have no room in a page of 4,096 bytes, after 64 others.
TEST_F(SamplerTest, WhatABufferHasNoRoomForIsCounted) {
  SamplerOptions options;
  options.buffer_pages = 1;
  Sampler sampler = open({each_fault()}, {}, options);
  ASSERT_TRUE(sampler.enable());
  for (int round = 0; round < 8; ++round) pages_.touch();
  ASSERT_TRUE(sampler.disable());
  std::size_t samples = 0;
  for (const Sample& sample : sampler.samples()) samples += sample.period();
  EXPECT_LT(samples, 8 * kSamplerPages);
  EXPECT_GE(samples + sampler.losses().lost, 8 * kSamplerPages);
  EXPECT_LE(samples + sampler.losses().lost, 9 * kSamplerPages);
  EXPECT_EQ(sampler.losses().damaged, 0u);
}

TEST_F(SamplerTest, AThreadOfItsOwnHandsOutSamplesAndIsNotSampled) {
  SamplerOptions options;
  options.thread = true;
  Sampler sampler =
      open({{.events = "cpu-clock:u", .period = 100'000}}, CountTarget::process(getpid()), options);
  std::set<std::int32_t> threads;
  std::int32_t drained_in = 0;
  ASSERT_TRUE(sampler.start(
      [&](const Sample& sample) {
        threads.insert(sample.tid().value());
        drained_in = gettid();
      },
      5));
  EXPECT_FALSE(sampler.start([](const Sample&) {}));
  ASSERT_TRUE(sampler.enable());
  spin_in_sampler_test(std::chrono::milliseconds(50));
  ASSERT_TRUE(sampler.stop());
  EXPECT_NE(drained_in, gettid());
  EXPECT_TRUE(threads.contains(gettid()));
  EXPECT_FALSE(threads.contains(drained_in));
  ASSERT_TRUE(sampler.start([](const Sample&) { throw std::runtime_error("enough"); }, 1));
  spin_in_sampler_test(std::chrono::milliseconds(10));
  const auto stopped = sampler.stop();
  ASSERT_FALSE(stopped);
  EXPECT_NE(stopped.error().message.find("enough"), std::string::npos);
}

TEST_F(SamplerTest, StartNeedsTheThread) {
  Sampler sampler = open({each_fault()});
  const auto started = sampler.start([](const Sample&) {});
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Errc::invalid_argument);
  EXPECT_TRUE(sampler.stop());
}

TEST_F(SamplerTest, ThreadsThatAreCreatedLaterAreSampledWithInherit) {
  SamplerOptions options;
  options.inherit = true;
  Sampler sampler = open({{.events = "cpu-clock:u", .period = 100'000}}, {}, options);
  ASSERT_TRUE(sampler.enable());
  std::int32_t other = 0;
  std::thread worker([&] {
    other = gettid();
    spin_in_sampler_test(std::chrono::milliseconds(20));
  });
  worker.join();
  ASSERT_TRUE(sampler.disable());
  std::size_t of_other = 0;
  for (const Sample& sample : sampler.samples()) of_other += sample.tid() == other;
  EXPECT_GT(of_other, 20u);
}

TEST_F(SamplerTest, AChildCantUseItAndChangesNothing) {
  SamplerOptions options;
  options.thread = true;
  auto sampler = std::make_unique<Sampler>(open({each_fault()}, {}, options));
  ASSERT_TRUE(sampler->enable());
  const pid_t child = fork();
  if (child == 0) {
    const bool is_refused = !sampler->enable() && !sampler->disable() && !sampler->wait(0) &&
                            sampler->samples().next() == nullptr;
    sampler.reset();
    _exit(is_refused ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  for (const Sample& sample : sampler->samples()) (void)sample;
  pages_.touch();
  std::size_t samples = 0;
  for (const Sample& sample : sampler->samples()) samples += sample.period();
  EXPECT_GE(samples, kSamplerPages);
}

TEST_F(SamplerTest, ClosesWhatItOpened) {
  const std::size_t before = open_descriptors();
  for (const bool inherit : {false, true}) {
    SamplerOptions options;
    options.inherit = inherit;
    options.thread = true;
    options.keep = 1 << 20;
    Sampler sampler = open({each_fault(), {.events = "cpu-clock:u"}}, {}, options);
    EXPECT_GT(open_descriptors(), before);
    auto taken = sampler.take_recording();
    ASSERT_TRUE(taken) << taken.error().text();
  }
  const std::vector<SampledEvents> bad{each_fault(), {.events = "msr/nothing/"}};
  EXPECT_FALSE(Sampler::open(*machine_, bad));
  const std::vector<SampledEvents> none{each_fault()};
  EXPECT_FALSE(Sampler::open(*machine_, none, CountTarget::thread(INT32_MAX)));
  EXPECT_EQ(open_descriptors(), before);
}

// Page faults of the text are those of the samples, and so are a report's and a profile's.
TEST_F(SamplerTest, KeptSamplesAreARecordingForReportsTextAndProfiles) {
  SamplerOptions options;
  options.keep = 1 << 20;
  SampledEvents faults = each_fault();
  faults.fields = "addr,callchain";
  Sampler sampler = open({faults}, {}, options);
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(sampler.enable());
    pages_.touch();
    ASSERT_TRUE(sampler.disable());
    std::size_t samples = 0;
    for (const Sample& sample : sampler.samples()) samples += sample.period();
    const auto taken = sampler.take_recording();
    ASSERT_TRUE(taken) << taken.error().text();
    EXPECT_TRUE(taken->warnings().empty());

    Report report({.keys = {SortKey::event}});
    ASSERT_TRUE(report.add(*taken));
    const auto rows = report.rows();
    ASSERT_FALSE(rows.empty());
    EXPECT_EQ(rows[0].samples, samples);

    std::string text;
    const auto tally = annotate(*taken, {.format = Format::folded}, [&](std::string_view piece) {
      text += piece;
      return true;
    });
    ASSERT_TRUE(tally) << tally.error().text();
    EXPECT_EQ(tally->samples, samples);
    EXPECT_TRUE(tally->warnings.empty()) << tally->warnings[0];
    EXPECT_NE(text.find("page-faults"), std::string::npos);
    EXPECT_TRUE(taken->features().sample_time);
  }
  EXPECT_EQ(sampler.losses().not_kept, 0u);
}

TEST_F(SamplerTest, NoMoreIsKeptThanIsAllowed) {
  SamplerOptions options;
  options.keep = 1000;
  Sampler sampler = open({each_fault()}, {}, options);
  ASSERT_TRUE(sampler.enable());
  pages_.touch();
  ASSERT_TRUE(sampler.disable());
  for (const Sample& sample : sampler.samples()) (void)sample;
  EXPECT_GE(sampler.losses().not_kept, kSamplerPages - 1000 / 40);
  Sampler keeps_nothing = open({each_fault()});
  EXPECT_FALSE(keeps_nothing.take_recording());
}

TEST_F(SamplerTest, FieldsThatAreNoneAreNamed) {
  struct Case {
    const char* fields;
    const char* message;
    const char* hint;
  };
  const Case cases[] = {{"adr", "samples have no field 'adr'", "did you mean addr?"},
                        {"addr,elephant", "samples have no field 'elephant'", "fields: pid, tid"}};
  for (const Case& one : cases) {
    SampledEvents events = each_fault();
    events.fields = one.fields;
    const auto sampler = Sampler::open(*machine_, std::span(&events, 1));
    ASSERT_FALSE(sampler);
    EXPECT_EQ(sampler.error().message, one.message);
    EXPECT_EQ(sampler.error().hint.substr(0, std::string_view(one.hint).size()), one.hint);
  }
}

// What intel_pt and arm_spe write is no sample; the PMU need not be there.
TEST_F(SamplerTest, TracesOfTheHardwareAreRefused) {
  const auto intel = Machine::named("skylakex");
  ASSERT_TRUE(intel);
  const auto sampler = Sampler::open(*intel, "intel_pt//");
  ASSERT_FALSE(sampler);
  EXPECT_EQ(sampler.error().code, Errc::unsupported);
  EXPECT_NE(sampler.error().message.find("trace"), std::string::npos) << sampler.error().text();
}

TEST_F(SamplerTest, ASignalEndsAWaitEarlyAndNothingIsLost) {
  Sampler sampler = open({each_fault()});
  ASSERT_TRUE(sampler.enable());
  pages_.touch();
  const auto before = signal(SIGALRM, [](int) {});
  const itimerval soon{{0, 1000}, {0, 1000}};
  setitimer(ITIMER_REAL, &soon, nullptr);
  EXPECT_TRUE(sampler.wait(60'000).value());
  std::size_t samples = 0;
  for (const Sample& sample : sampler.samples()) samples += sample.period();
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  signal(SIGALRM, before);
  EXPECT_GE(samples, kSamplerPages);
}

TEST_F(SamplerTest, WaitEndsAfterItsTimeAndKnowsOfTheEndOfAThread) {
  Sampler own = open({each_fault()});
  EXPECT_TRUE(own.wait(1).value());
  std::atomic<int> id = 0;
  std::atomic<bool> ends = false;
  std::thread other([&] {
    id = gettid();
    while (!ends) std::this_thread::yield();
  });
  while (id == 0) std::this_thread::yield();
  Sampler sampler = open({each_fault()}, CountTarget::thread(id));
  EXPECT_TRUE(sampler.wait(1).value());
  ends = true;
  other.join();
  EXPECT_FALSE(sampler.wait(10'000).value());
}

}  // namespace
}  // namespace evname
