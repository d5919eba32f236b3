// Live samples, by what the kernel samples itself: a page fault each, at addresses that are known.

#include "evname/sampler.hpp"
#include "recordings/perf_data/recorded_facts.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
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

/// Repeats `once` until it returns true, which a throttled event or a busy machine delays. Returns
/// false if it takes too long.
template <class Once>
bool comes_true(Once once) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!once())
    if (std::chrono::steady_clock::now() > end) return false;
  return true;
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

  static SampledEvents each_fault() {
    return {.events = "page-faults:u", .sampling = {.period = 1}};
  }

  Sampler open(std::vector<SampledEvents> events, const CountTarget& target = {},
               const SamplerOptions& options = {}) {
    auto sampler = Sampler::open(*machine_, events, target, options);
    if (!sampler) throw std::runtime_error(sampler.error().text());
    return std::move(*sampler);
  }

  /// Touches pages until there are samples of them. Calls `fn` for each sample.
  template <class Fn>
  bool touch_until_sampled(Sampler& sampler, Fn fn) {
    return comes_true([&] {
      pages_.touch();
      std::size_t samples = 0;
      for (const Sample& sample : sampler.samples()) {
        fn(sample);
        samples += sample.event().name == "page-faults";
      }
      return samples > 0;
    });
  }

  FreshPages pages_;
  std::optional<Machine> machine_;
};

TEST_F(SamplerTest, SamplesComeWhileTheProgramRuns) {
  SampledEvents faults = each_fault();
  faults.sampling.fields = "addr, cpu";
  Sampler sampler = open({faults});
  ASSERT_TRUE(sampler.enable());
  std::size_t of_pages = 0;
  for (int round = 0; round < 3; ++round) {
    std::uint64_t last = 0;
    ASSERT_TRUE(touch_until_sampled(sampler, [&](const Sample& sample) {
      EXPECT_EQ(sample.pid(), getpid());
      EXPECT_EQ(sample.event().name, "page-faults");
      EXPECT_GE(sample.time().value(), last);
      EXPECT_TRUE(sample.cpu());
      last = *sample.time();
      of_pages += pages_.has(sample.addr().value());
    }));
  }
  EXPECT_GT(of_pages, 0u);
  ASSERT_TRUE(sampler.disable());
  for (const Sample& sample : sampler.samples()) (void)sample;  // of before
  pages_.touch();
  EXPECT_EQ(sampler.samples().next(), nullptr);
  EXPECT_EQ(sampler.losses().damaged, 0u);
}

TEST_F(SamplerTest, TimesAreThoseOfTheSteadyClock) {
  Sampler sampler = open({each_fault()});
  const auto now = [] {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  };
  constexpr std::uint64_t kSlack = 1'000'000;  // the kernel's is less exact
  const std::uint64_t before = now() - kSlack;
  ASSERT_TRUE(sampler.enable());
  EXPECT_TRUE(touch_until_sampled(sampler, [&](const Sample& sample) {
    EXPECT_GE(*sample.time(), before);
    EXPECT_LE(*sample.time(), now() + kSlack);
  }));
}

TEST_F(SamplerTest, EachEventHasItsOwnFields) {
  SampledEvents faults = each_fault(), clock{.events = "task-clock:u,cpu-clock:u"};
  faults.sampling.fields = "addr";
  clock.sampling.period = 100'000;
  clock.sampling.chains = CallChains::frame_pointers;
  Sampler sampler = open({faults, clock});
  ASSERT_EQ(sampler.events().size(), 3u);
  ASSERT_TRUE(sampler.enable());
  std::map<std::size_t, std::size_t> seen;
  EXPECT_TRUE(comes_true([&] {
    pages_.touch();
    spin_in_sampler_test(std::chrono::milliseconds(5));
    for (const Sample& sample : sampler.samples()) {
      const std::size_t event = sample.event().attr;
      ++seen[event];
      EXPECT_EQ(sample.addr().has_value(), event == 0);
      EXPECT_EQ(sample.callchain().empty(), event == 0);
      EXPECT_EQ(sample.period(), event == 0 ? 1u : 100'000u);
    }
    return seen.size() == 3;
  }));
}

std::uint64_t total(const std::vector<SampleScope::Function>& functions) {
  std::uint64_t out = 0;
  for (const SampleScope::Function& one : functions) out += one.samples;
  return out;
}

// With a sanitizer, functions of its own take most of the time.
TEST_F(SamplerTest, AScopeNamesTheFunctionsOfItsBlock) {
  if (!Symbols::reads_elf()) GTEST_SKIP() << "the build reads no ELF files";
  Sampler sampler = open({{.events = "cpu-clock:u", .sampling = {.period = 100'000}}});
  const Symbols symbols;
  SampleScope scope(sampler, symbols);
  std::vector<SampleScope::Function> functions;
  std::vector<SampleScope::Function>::iterator found;
  EXPECT_TRUE(comes_true([&] {
    const std::uint64_t before = total(functions);
    EXPECT_TRUE(scope.start());
    spin_in_sampler_test(std::chrono::milliseconds(10));
    EXPECT_TRUE(scope.stop());
    functions = scope.functions();
    EXPECT_GE(total(functions), before);  // they add up
    found = std::ranges::find_if(functions, [](const SampleScope::Function& one) {
      return one.function.find("spin_in_sampler_test") != std::string::npos;
    });
    return found != functions.end() && found->samples > 1;
  }));
  ASSERT_NE(found, functions.end());
  EXPECT_EQ(found->dso, std::filesystem::read_symlink("/proc/self/exe"));
  EXPECT_EQ(found->period, found->samples * 100'000);
  EXPECT_TRUE(std::ranges::is_sorted(functions, std::greater(), &SampleScope::Function::period));
  EXPECT_TRUE(scope.functions(1).empty());
}

TEST_F(SamplerTest, FiltersOfRecordingsChooseLiveSamples) {
  if (!Symbols::reads_elf()) GTEST_SKIP() << "the build reads no ELF files";
  Sampler sampler =
      open({each_fault(), {.events = "cpu-clock:u", .sampling = {.period = 100'000}}});
  const Symbols symbols;
  Locations locations(sampler.recording(), symbols);
  SampleFilter filter;
  filter.sym = "*spin_in_sampler_test*";
  auto selection = Selection::make(filter, sampler.recording(), &locations);
  ASSERT_TRUE(selection) << selection.error().text();
  ASSERT_TRUE(sampler.enable());
  EXPECT_TRUE(comes_true([&] {
    pages_.touch();
    spin_in_sampler_test(std::chrono::milliseconds(5));
    std::size_t chosen = 0, others = 0;
    for (const Sample& sample : sampler.samples()) {
      if (!selection->accepts(sample)) {
        ++others;
        continue;
      }
      ++chosen;
      EXPECT_EQ(sample.event().name, "cpu-clock");
    }
    return chosen > 0 && others > 0;
  }));
}

// A page of 4,096 bytes has no room for 512 samples of 40 bytes. Before Linux 6.0, the record of
// the loss needs room, too.
TEST_F(SamplerTest, WhatABufferHasNoRoomForIsCounted) {
  SamplerOptions options;
  options.setup.buffer_pages = 1;
  Sampler sampler = open({each_fault()}, {}, options);
  rusage before{}, after{};
  getrusage(RUSAGE_THREAD, &before);
  ASSERT_TRUE(sampler.enable());
  std::uint64_t samples = 0;
  EXPECT_TRUE(comes_true([&] {
    for (int round = 0; round < 8; ++round) pages_.touch();
    for (const Sample& sample : sampler.samples()) samples += sample.period();
    return sampler.losses().lost > 0;
  }));
  ASSERT_TRUE(sampler.disable());
  getrusage(RUSAGE_THREAD, &after);
  for (const Sample& sample : sampler.samples()) samples += sample.period();
  const auto faults = static_cast<std::uint64_t>(after.ru_minflt + after.ru_majflt -
                                                 before.ru_minflt - before.ru_majflt);
  EXPECT_GT(samples, 0u);
  EXPECT_LE(samples + sampler.losses().lost, faults);
  EXPECT_EQ(sampler.losses().damaged, 0u);
}

TEST_F(SamplerTest, AThreadOfItsOwnHandsOutSamplesAndIsNotSampled) {
  SamplerOptions options;
  options.thread = true;
  Sampler sampler = open({{.events = "cpu-clock:u", .sampling = {.period = 100'000}}},
                         CountTarget::process(getpid()), options);
  const auto spin_until = [](const std::atomic<bool>& is_so) {
    return comes_true([&] {
      spin_in_sampler_test(std::chrono::milliseconds(5));
      return is_so.load();
    });
  };
  std::set<std::int32_t> threads;
  std::atomic<std::int32_t> drained_in = 0;
  std::atomic<bool> came = false, ends = false;
  const auto take = [&](const Sample& sample) {
    threads.insert(sample.tid().value());
    drained_in = gettid();
    came = true;
  };
  ASSERT_TRUE(sampler.start(take, 5));
  EXPECT_FALSE(sampler.start([](const Sample&) {}));
  ASSERT_TRUE(sampler.enable());
  EXPECT_TRUE(spin_until(came));
  ASSERT_TRUE(sampler.stop());
  EXPECT_NE(drained_in, gettid());
  EXPECT_TRUE(threads.contains(gettid()));
  EXPECT_FALSE(threads.contains(drained_in));
  const auto end_it = [&](const Sample&) {
    ends = true;
    throw std::runtime_error("enough");
  };
  ASSERT_TRUE(sampler.start(end_it, 1));
  EXPECT_TRUE(spin_until(ends));
  const auto stopped = sampler.stop();
  ASSERT_FALSE(stopped);
  EXPECT_NE(stopped.error().message.find("enough"), std::string::npos);
}

// Whatever else reads samples fails while the thread does, and the thread can't stop itself.
TEST_F(SamplerTest, SamplesHaveOneReaderAtATime) {
  SamplerOptions options;
  options.thread = true;
  options.keep = 1 << 20;
  Sampler sampler = open({each_fault()}, {}, options);
  const Symbols symbols;
  SampleScope scope(sampler, symbols);
  std::atomic<bool> is_readable = false;
  std::atomic<int> stops = -1;
  EXPECT_TRUE(sampler.is_readable());
  const auto read = [&](SampleRange& samples) {
    while (samples.next() != nullptr) continue;
    is_readable = sampler.is_readable();
    stops = sampler.stop().has_value();
  };
  ASSERT_TRUE(sampler.start_reading(read, 1));
  EXPECT_FALSE(sampler.is_readable());
  EXPECT_FALSE(sampler.wait(0));
  EXPECT_FALSE(sampler.take_recording());
  EXPECT_FALSE(scope.start());
  EXPECT_FALSE(scope.stop());
  EXPECT_TRUE(sampler.enable());
  EXPECT_TRUE(sampler.disable());
  ASSERT_TRUE(sampler.stop());
  EXPECT_TRUE(is_readable);
  EXPECT_EQ(stops, 0);
  EXPECT_TRUE(sampler.is_readable());
  EXPECT_TRUE(sampler.take_recording());
  EXPECT_TRUE(scope.start());
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
  Sampler sampler = open({{.events = "cpu-clock:u", .sampling = {.period = 100'000}}}, {}, options);
  ASSERT_TRUE(sampler.enable());
  EXPECT_TRUE(comes_true([&] {
    std::int32_t other = 0;
    std::thread worker([&] {
      other = gettid();
      spin_in_sampler_test(std::chrono::milliseconds(10));
    });
    worker.join();
    return std::ranges::any_of(sampler.samples(),
                               [&](const Sample& sample) { return sample.tid() == other; });
  }));
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
  EXPECT_TRUE(touch_until_sampled(*sampler, [](const Sample&) {}));
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

// Text, report and profile have the page faults of the samples.
TEST_F(SamplerTest, KeptSamplesAreARecordingForReportsTextAndProfiles) {
  SamplerOptions options;
  options.keep = 1 << 20;
  SampledEvents faults = each_fault();
  faults.sampling.fields = "addr,callchain";
  Sampler sampler = open({faults}, {}, options);
  std::uint64_t last = 0;
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(sampler.enable());
    std::size_t samples = 0;
    const auto count = [&](const Sample& sample) { samples += sample.period(); };
    ASSERT_TRUE(touch_until_sampled(sampler, count));
    ASSERT_TRUE(sampler.disable());
    for (const Sample& sample : sampler.samples()) count(sample);
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
    const auto times = perf_data::features_of(*taken).sample_time;
    ASSERT_TRUE(times);
    EXPECT_GT((*times)[0], last);  // of this recording alone
    EXPECT_GE((*times)[1], (*times)[0]);
    last = (*times)[1];
  }
  EXPECT_EQ(sampler.losses().not_kept, 0u);
}

TEST_F(SamplerTest, NoMoreIsKeptThanIsAllowed) {
  SamplerOptions options;
  options.keep = 1000;
  Sampler sampler = open({each_fault()}, {}, options);
  ASSERT_TRUE(sampler.enable());
  EXPECT_TRUE(comes_true([&] {
    EXPECT_TRUE(touch_until_sampled(sampler, [](const Sample&) {}));
    return sampler.losses().not_kept > 0;
  }));
  for (int round = 0; round < 2; ++round) {  // each recording has its own room
    const auto taken = sampler.take_recording();
    ASSERT_TRUE(taken) << taken.error().text();
    Report report({.keys = {SortKey::event}});
    ASSERT_TRUE(report.add(*taken));
    const auto rows = report.rows();
    ASSERT_FALSE(rows.empty());
    EXPECT_GT(rows[0].samples, 0u) << round;
    EXPECT_TRUE(touch_until_sampled(sampler, [](const Sample&) {}));
  }
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
    events.sampling.fields = one.fields;
    const auto sampler = Sampler::open(*machine_, std::span(&events, 1));
    ASSERT_FALSE(sampler);
    EXPECT_EQ(sampler.error().message, one.message);
    EXPECT_EQ(sampler.error().hint.substr(0, std::string_view(one.hint).size()), one.hint);
  }
}

// intel_pt and arm_spe don't write samples; the PMU need not exist.
TEST_F(SamplerTest, TracesOfTheHardwareAreRefused) {
  const auto intel = Machine::named("skylakex");
  ASSERT_TRUE(intel);
  const auto sampler = Sampler::open(*intel, "intel_pt//");
  ASSERT_FALSE(sampler);
  EXPECT_EQ(sampler.error().code, Errc::unsupported);
  EXPECT_NE(sampler.error().message.find("trace"), std::string::npos) << sampler.error().text();
  EXPECT_TRUE(sampler.error().hint.starts_with("evname record -e intel_pt//"))
      << sampler.error().hint;
}

TEST_F(SamplerTest, ASignalEndsAWaitEarlyAndNothingIsLost) {
  Sampler sampler = open({each_fault()});
  ASSERT_TRUE(sampler.enable());
  const auto before = signal(SIGALRM, [](int) {});
  const itimerval soon{{0, 1000}, {0, 1000}};
  setitimer(ITIMER_REAL, &soon, nullptr);
  EXPECT_TRUE(sampler.wait(60'000).value());
  EXPECT_TRUE(touch_until_sampled(sampler, [](const Sample&) {}));
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  signal(SIGALRM, before);
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
  EXPECT_TRUE(comes_true([&] { return !sampler.wait(10'000).value(); }));
}

// Threads of the target share the buffers of the CPUs then.
TEST_F(SamplerTest, WaitGoesOnUntilTheLastOfSeveralThreadsHasEnded) {
  struct Other {
    std::atomic<int> id = 0;
    std::atomic<bool> ends = false;
    std::thread thread{[this] {
      id = gettid();
      while (!ends) std::this_thread::yield();
    }};
    void end() {
      ends = true;
      if (thread.joinable()) thread.join();
    }
    ~Other() { end(); }
  };
  Other first, last;
  while (first.id == 0 || last.id == 0) std::this_thread::yield();
  CountTarget target = CountTarget::thread(first.id);
  target.ids.push_back(last.id);
  SamplerOptions options;
  options.inherit = true;
  Sampler sampler = open({each_fault()}, target, options);
  first.end();
  for (int round = 0; round < 50; ++round) ASSERT_TRUE(sampler.wait(2).value());
  last.end();
  EXPECT_TRUE(comes_true([&] { return !sampler.wait(10'000).value(); }));
}

// Exit statuses are bits of what is wrong. Root may have any number of threads.
TEST_F(SamplerTest, AThreadThatCantBeCreatedIsAnErrorAndChangesNothing) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_NPROC, &none);
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(64);
    const std::size_t before = open_descriptors();
    SamplerOptions options;
    options.thread = true;
    const auto sampler = Sampler::open(*machine_, std::vector{each_fault()}, {}, options);
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    const bool is_told = !sampler && sampler.error().code == Errc::io &&
                         sampler.error().message.starts_with("no thread can be created");
    _exit((is_told ? 0 : 1) | (sigismember(&blocked, SIGUSR1) == 0 ? 0 : 2) |
          (open_descriptors() == before ? 0 : 4));
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// Nothing executes a program on behalf of a CPU.
TEST_F(SamplerTest, CpusAreSampledAtOnceIfOthersWaitForAProgram) {
  for (const bool on_exec : {false, true}) {
    SamplerOptions options;
    options.setup.enable_on_exec = on_exec;
    const std::vector<SampledEvents> clock{
        {.events = "cpu-clock", .sampling = {.period = 1'000'000}}};
    auto sampler = Sampler::open(*machine_, clock, CountTarget::on_cpus(), options);
    if (!sampler) GTEST_SKIP() << sampler.error().text();
    const auto is_sampled = [&] {
      spin_in_sampler_test(std::chrono::milliseconds(20));
      return sampler->samples().next() != nullptr;
    };
    EXPECT_TRUE(on_exec ? comes_true(is_sampled) : !is_sampled());
  }
}

}  // namespace
}  // namespace evname
