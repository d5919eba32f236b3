// Options that the recorder refuses before it opens anything, and the words of branch types, with
// bits of include/uapi/linux/perf_event.h.

#include "evname/recorder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "evname/recording.hpp"
#include "sampling/sampling_attr.hpp"
#include "support/temp_dir.hpp"

namespace evname::test {
namespace {

TEST(RecorderRefusals, TracesThatCantBeRecordedNameWhatCanBeDone) {
  TempDir tree;
  for (const char* pmu : {"intel_pt", "arm_spe_0", "cs_etm", "intel_bts"}) {
    const std::string at = std::string("bus/event_source/devices/") + pmu;
    tree.write(at + "/type", "8\n");
    tree.write(at + "/format/first", "config:0\n");
  }
  tree.write("bus/event_source/devices/cpu/type", "4\n");
  const auto machine = Machine::named("GenuineIntel-6-55-4", tree.path());
  ASSERT_TRUE(machine) << machine.error().text();
  const struct {
    const char* events;
    bool other_clock;
    const char *message, *hint;
  } cases[] = {{"cs_etm/first/", false, "registers of each CPU's trace unit", "perf record -e cs"},
               {"intel_bts/first/", false, "traces threads, not CPUs", "--per-thread"},
               {"arm_spe_0/first/", true, "another clock", "-k"},
               {"intel_pt/first/,arm_spe_0/first/", false, "one kind of trace", ""}};
  for (const auto& one : cases) {
    SCOPED_TRACE(one.events);
    const auto events = machine->resolve(one.events);
    ASSERT_TRUE(events) << events.error().text();
    RecordOptions options;
    if (one.other_clock) options.clock = 1;
    const auto recorder = Recorder::open(*machine, *events, {}, options);
    ASSERT_FALSE(recorder);
    EXPECT_NE(recorder.error().message.find(one.message), std::string::npos)
        << recorder.error().text();
    EXPECT_NE(recorder.error().hint.find(one.hint), std::string::npos);
  }
}

TEST(RecorderRefusals, ValuesOfAnEventsOwnTerms) {
  TempDir tree;
  tree.write("bus/event_source/devices/software/type", "1\n");
  const auto machine = Machine::named("GenuineIntel-6-55-4", tree.path());
  ASSERT_TRUE(machine);
  for (const char* text : {"cpu-clock/call-graph=up/", "cpu-clock/stack-size=7/",
                           "cpu-clock/call-graph=dwarf,stack-size=65536/"}) {
    SCOPED_TRACE(text);
    const auto events = machine->resolve(text);
    ASSERT_TRUE(events) << events.error().text();
    const auto recorder = Recorder::open(*machine, *events);
    ASSERT_FALSE(recorder);
    EXPECT_EQ(recorder.error().code, Errc::invalid_argument);
  }
  EXPECT_FALSE(Recorder::open(*machine, {}));
}

// The members of perf_event_attr that the terms set have 16 bits (sample_max_stack) and one bit
// (inherit).
TEST(RecorderTerms, SetTheOptionsOfTheirEvent) {
  TempDir tree;
  tree.write("bus/event_source/devices/software/type", "1\n");
  const auto machine = Machine::named("GenuineIntel-6-55-4", tree.path());
  ASSERT_TRUE(machine);
  RecordOptions common;
  common.inherit = true;
  const struct {
    const char* terms;
    bool inherit;
    std::uint32_t max_stack, stack_size;
  } rows[] = {{"period=5", true, 0, 8192},
              {"no-inherit", false, 0, 8192},
              {"inherit=0", false, 0, 8192},
              {"inherit", true, 0, 8192},
              {"max-stack=7", true, 7, 8192},
              {"max-stack=65535", true, 65535, 8192},
              {"max-stack=65537", true, 65535, 8192},
              {"stack-size=65528", true, 0, 65528}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.terms);
    const auto events = machine->resolve(fmt::format("cpu-clock/{}/", row.terms));
    ASSERT_TRUE(events) << events.error().text();
    const auto options = sampling::options_of_event(events->front(), common);
    ASSERT_TRUE(options) << options.error().text();
    EXPECT_EQ(options->inherit, row.inherit);
    EXPECT_EQ(options->sampling.max_stack, row.max_stack);
    EXPECT_EQ(options->sampling.stack_size, row.stack_size);
  }
}

// The tree stands for the kernel's; the CPUs themselves stay.
TEST(Recorder, ACpuThatGoesOfflineIsNamed) {
  const auto machine = Machine::live();
  ASSERT_TRUE(machine) << machine.error().text();
  const auto events = machine->resolve("cpu-clock");
  ASSERT_TRUE(events) << events.error().text();
  TempDir tree;
  const std::string online = "devices/system/cpu/online";
  RecordOptions options;
  options.setup.roots.sysfs = tree.path();
  tree.write(online, "0-1\n");
  tree.write("devices/system/cpu/cpu0/topology/physical_package_id", "0\n");
  tree.write("devices/system/cpu/cpu1/topology/physical_package_id", "0\n");
  auto recorder = Recorder::open(*machine, *events, CountTarget::on_cpus(), options);
  if (!recorder) GTEST_SKIP() << recorder.error().text();
  const int file = ::open((tree.path() + "/out").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_TRUE(recorder->begin(file));
  ASSERT_TRUE(recorder->drain(0));
  const std::size_t begun = recorder->warnings().size();
  tree.write(online, "0\n");
  ASSERT_TRUE(recorder->finish());
  close(file);
  ASSERT_EQ(recorder->warnings().size(), begun + 1);
  EXPECT_EQ(recorder->warnings().back(), "CPU 1 went offline: it is sampled no more");
}

// Each system call is a sample, and so is each that writes samples.
TEST(Recorder, FinishingEndsThoughWritingIsSampled) {
  const auto machine = Machine::live();
  ASSERT_TRUE(machine) << machine.error().text();
  const auto events = machine->resolve("raw_syscalls:sys_enter");
  if (!events) GTEST_SKIP() << events.error().text();
  constexpr std::uint64_t kMost = 4 << 20;
  RecordOptions options;
  options.sampling.period = 1;
  options.max_size = kMost;
  auto recorder = Recorder::open(*machine, *events, CountTarget::this_thread(), options);
  if (!recorder) GTEST_SKIP() << recorder.error().text();
  TempDir folder;
  const int file =
      ::open((folder.path() + "/out").c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  ASSERT_TRUE(recorder->begin(file));
  ASSERT_TRUE(recorder->enable());
  ASSERT_TRUE(recorder->drain(0));
  ASSERT_TRUE(recorder->finish());
  close(file);
  EXPECT_GT(recorder->tally().samples, 0);
  EXPECT_LT(recorder->tally().bytes, kMost);
}

struct RateRow {
  const char* events;
  std::uint64_t asked;
  std::uint64_t frequency;  ///< of the attr; 0: a period
  bool is_lowered;
};
constexpr RateRow kRates[] = {{"cpu-clock:u", 0, 700, true},
                              {"cpu-clock:u", 5000, 700, true},
                              {"cpu-clock:u", 700, 700, false},
                              {"cpu-clock:u", 99, 99, false},
                              {"cpu-clock/freq=5000/u", 99, 700, true},
                              {"cpu-clock/freq=99/u", 5000, 99, false},
                              {"cpu-clock/period=5000/u", 0, 0, false}};

// The kernel lowers its limit when sampling takes too long; perf lowers its frequency likewise.
TEST(Recorder, FrequenciesAboveTheKernelsLimitAreLowered) {
  const auto machine = Machine::live();
  ASSERT_TRUE(machine) << machine.error().text();
  TempDir tree;
  tree.write("sys/kernel/perf_event_max_sample_rate", "700\n");
  for (const RateRow& row : kRates) {
    const auto events = machine->resolve(row.events);
    ASSERT_TRUE(events) << events.error().text();
    RecordOptions options;
    options.sampling.frequency = row.asked;
    options.setup.roots.procfs = tree.path();
    auto recorder = Recorder::open(*machine, *events, CountTarget::this_thread(), options);
    if (!recorder) GTEST_SKIP() << recorder.error().text();
    const std::string path = tree.path("out");
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ASSERT_TRUE(recorder->begin(file));
    ASSERT_TRUE(recorder->finish());
    close(file);
    const auto data = Recording::open(path);
    ASSERT_TRUE(data) << data.error().text();
    const perf_format::Attr& attr = data->attr(0);
    SCOPED_TRACE(row.events);
    EXPECT_EQ(attr.has(perf_format::kFreq) ? attr.sample_period : 0, row.frequency);
    const std::string why = std::to_string(row.asked == 0 ? 4000 : 5000) +
                            " samples a second: kernel.perf_event_max_sample_rate permits 700";
    EXPECT_EQ(std::ranges::count(recorder->warnings(), why), row.is_lowered ? 1 : 0);
  }
}

// An older kernel gets the older form of a feature, or none: include/uapi/linux/perf_event.h.
TEST(GivenUpFeatures, LeaveWhatTheKernelHas) {
  perf_event_attr wanted{};
  wanted.size = sizeof wanted;
  wanted.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_CGROUP |
                       PERF_SAMPLE_CODE_PAGE_SIZE | PERF_SAMPLE_DATA_PAGE_SIZE |
                       PERF_SAMPLE_PHYS_ADDR;
  wanted.read_format = PERF_FORMAT_ID | 1 << 4;  // PERF_FORMAT_LOST
  wanted.cgroup = wanted.build_id = wanted.bpf_event = wanted.ksymbol = wanted.namespaces = 1;
  wanted.context_switch = wanted.use_clockid = 1;
  wanted.clockid = 1;  // CLOCK_MONOTONIC
  wanted.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HW_INDEX;
  counting::AttrBytes bytes{};
  std::memcpy(bytes.data(), &wanted, std::min(bytes.size(), sizeof wanted));
  for (std::size_t step = 0; const auto given = sampling::give_up(bytes, step); ++step) {
    perf_event_attr attr{};
    std::memcpy(&attr, bytes.data(), std::min(bytes.size(), sizeof attr));
    if (given->what.starts_with("weights in parts")) {
      EXPECT_EQ(attr.sample_type & PERF_SAMPLE_WEIGHT_TYPE, PERF_SAMPLE_WEIGHT) << given->what;
    } else if (given->what.starts_with("cgroups")) {
      EXPECT_FALSE(attr.cgroup || (attr.sample_type & PERF_SAMPLE_CGROUP) != 0);
    } else if (given->what.starts_with("the clock")) {
      EXPECT_FALSE(attr.use_clockid || attr.clockid != 0);
    }
  }
  perf_event_attr oldest{};
  std::memcpy(&oldest, bytes.data(), std::min(bytes.size(), sizeof oldest));
  EXPECT_EQ(oldest.sample_type, PERF_SAMPLE_IP | PERF_SAMPLE_WEIGHT);
  EXPECT_EQ(oldest.read_format, PERF_FORMAT_ID);
  EXPECT_EQ(oldest.branch_sample_type, PERF_SAMPLE_BRANCH_ANY);
  EXPECT_FALSE(oldest.build_id || oldest.bpf_event || oldest.ksymbol || oldest.namespaces ||
               oldest.context_switch);
}

TEST(BranchTypes, AreThoseOfPerfRecord) {
  const std::pair<const char*, std::uint64_t> cases[] = {{"any", 0x8},
                                                         {"any,u", 0x9},
                                                         {"u", 0x9},  // without a type, any
                                                         {"any_call,k", 0x12},
                                                         {"any_ret", 0x20},
                                                         {"ind_call", 0x40},
                                                         {"abort_tx", 0x80},
                                                         {"in_tx", 0x100},
                                                         {"no_tx", 0x200},
                                                         {"cond", 0x400},
                                                         {"stack", 0x800},
                                                         {"ind_jmp", 0x1000},
                                                         {"call", 0x2000},
                                                         {"no_flags,any", 0x4008},
                                                         {"no_cycles,any", 0x8008},
                                                         {"save_type,any", 0x10008},
                                                         {"hw_index,any", 0x20008},
                                                         {"priv,any", 0x40008},
                                                         {"counter,any", 0x80008},
                                                         // perf compares by strcasecmp()
                                                         {"ANY", 0x8},
                                                         {"Any_Call,K", 0x12}};
  for (const auto& [words, bits] : cases) {
    const auto types = parse_branch_types(words);
    ASSERT_TRUE(types) << words;
    EXPECT_EQ(*types, bits) << words;
  }
  for (const char* words : {"any,", "", "any,x", "any u"}) {
    const auto types = parse_branch_types(words);
    EXPECT_FALSE(types) << words;
  }
}

}  // namespace
}  // namespace evname::test
