// Values of the options of evname record and stat. Source: perf-record(1) and perf-stat(1) of
// perf 7.3, and their parsers in tools/perf/util.

#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <string>

#include "evname/recorder.hpp"
#include "record/control.hpp"
#include "record/values.hpp"
#include "stat/options.hpp"

namespace evname::tools {
namespace {

TEST(RecordValues, SizesHaveUnits) {
  const std::pair<const char*, std::optional<std::uint64_t>> rows[] = {
      {"0", 0},
      {"7", 7},
      {"7B", 7},
      {"3K", 3072},
      {"64M", 67108864},
      {"2G", 2147483648},
      {"1073741824K", 1099511627776},
      {"1073741825", std::nullopt},
      {"", std::nullopt},
      {"M", std::nullopt},
      {"3T", std::nullopt},
      {"3k", std::nullopt},
      {"-3M", std::nullopt},
  };
  for (const auto& [text, bytes] : rows) {
    EXPECT_EQ(size_of(text), bytes) << text;
    EXPECT_EQ(size_problem(text),
              bytes ? "" : "'" + std::string(text) + "' is not a size, such as 64M");
  }
}

TEST(RecordValues, BuffersHavePagesOrSizes) {
  using Pages = std::optional<std::pair<std::size_t, std::size_t>>;
  const std::string page = std::to_string(sysconf(_SC_PAGESIZE));
  const std::pair<std::string, Pages> rows[] = {
      {"128", {{128, 0}}},
      {"128,256", {{128, 256}}},
      {",256", {{0, 256}}},
      {page + "B", {{1, 0}}},
      {"4M,2M", {{4194304 / std::stoul(page), 2097152 / std::stoul(page)}}},
      {"1048576", {{1048576, 0}}},
      {"1048577", {}},
      {"0", {}},
      {"128,0", {}},
      {"128,", {}},
      {"1B", {}},
      {"1,2,3", {}},
      {"", {}},
      {"x", {}},
  };
  for (const auto& [text, pages] : rows) {
    EXPECT_EQ(pages_of(text), pages) << text;
    EXPECT_EQ(pages_problem(text).empty(), pages.has_value()) << text;
  }
}

// tools/perf/util/clockid.c
TEST(RecordValues, ClocksHaveTheNamesOfPerf) {
  const std::pair<const char*, std::optional<int>> rows[] = {
      {"monotonic", CLOCK_MONOTONIC},
      {"mono", CLOCK_MONOTONIC},
      {"monotonic_raw", CLOCK_MONOTONIC_RAW},
      {"raw", CLOCK_MONOTONIC_RAW},
      {"realtime", CLOCK_REALTIME},
      {"real", CLOCK_REALTIME},
      {"boottime", CLOCK_BOOTTIME},
      {"boot", CLOCK_BOOTTIME},
      {"tai", CLOCK_TAI},
      {"thread", std::nullopt},
      {"", std::nullopt},
  };
  for (const auto& [word, clock] : rows) {
    EXPECT_EQ(clock_of(word), clock) << word;
    EXPECT_EQ(clock_problem(word).empty(), clock.has_value()) << word;
  }
}

TEST(RecordValues, TimesAreRangesOneAfterTheOther) {
  const std::pair<const char*, std::optional<RecordTimes>> rows[] = {
      {"-1", RecordTimes{}},
      {"10", RecordTimes{{10, UINT64_MAX}}},
      {"10-20", RecordTimes{{10, 20}}},
      {"10-20,30-40", RecordTimes{{10, 20}, {30, 40}}},
      {"10-20,30", RecordTimes{{10, 20}, {30, UINT64_MAX}}},
      {"10-20,21-40", RecordTimes{{10, 20}, {21, 40}}},
      {"10-20,20-40", std::nullopt},
      {"30-40,10-20", std::nullopt},
      {"20-20", std::nullopt},
      {"20-10", std::nullopt},
      {"10-", std::nullopt},
      {"-10", std::nullopt},
      {"x", std::nullopt},
      {"", std::nullopt},
  };
  for (const auto& [text, times] : rows) {
    EXPECT_EQ(times_of(text), times) << text;
    EXPECT_EQ(delay_problem(text).empty(), times.has_value()) << text;
  }
}

TEST(RecordValues, FilesAreSwitchedAtASignalASizeOrATime) {
  struct Case {
    const char* text;
    bool on_signal;
    std::uint64_t bytes;
    int seconds;
  };
  for (const Case& row :
       {Case{"signal", true, 0, 0}, Case{"64M", false, 67108864, 0}, Case{"1B", false, 1, 0},
        Case{"30s", false, 0, 30}, Case{"5m", false, 0, 300}, Case{"2h", false, 0, 7200},
        Case{"1d", false, 0, 86400}, Case{"999999s", false, 0, 999999}}) {
    const auto rule = switches_of(row.text);
    ASSERT_TRUE(rule) << row.text;
    EXPECT_EQ(rule->on_signal, row.on_signal) << row.text;
    EXPECT_EQ(rule->bytes, row.bytes) << row.text;
    EXPECT_EQ(rule->time, std::chrono::seconds(row.seconds)) << row.text;
    EXPECT_EQ(switch_problem(row.text), "");
  }
  for (const char* text : {"", "30", "0s", "0M", "1000000s", "s", "M", "signals", "3x"}) {
    EXPECT_FALSE(switches_of(text)) << text;
    EXPECT_EQ(switch_problem(text), "'" + std::string(text) +
                                        "' is none of signal, a size such as 64M, and a time such "
                                        "as 30s, 5m, 2h or 1d");
  }
}

// perf-record(1), --snapshot: e takes one at the end, too; a size limits what is kept.
TEST(RecordValues, SnapshotsHaveASizeAndMayBeAtTheEnd) {
  struct Case {
    const char* text;
    bool at_end;
    std::uint64_t bytes;
  };
  for (const Case& row : {Case{"0", false, 0}, Case{"e", true, 0}, Case{"4M", false, 4194304},
                          Case{"e4M", true, 4194304}, Case{"e0x100000", true, 1048576},
                          Case{"4294967296", false, 4294967296}, Case{"4G", false, 4294967296}}) {
    const auto rule = snapshots_of(row.text);
    ASSERT_TRUE(rule) << row.text;
    EXPECT_EQ(rule->at_end, row.at_end) << row.text;
    EXPECT_EQ(rule->bytes, row.bytes) << row.text;
    EXPECT_EQ(snapshot_problem(row.text), "");
  }
  for (const char* text : {"", "x", "4294967297", "5G", "ex", "ee"}) {
    EXPECT_FALSE(snapshots_of(text)) << text;
    EXPECT_NE(snapshot_problem(text), "") << text;
  }
}

// parse_synth_opt() of tools/perf/util/synthetic-events.c
TEST(RecordValues, WhatExistsIsAList) {
  struct Case {
    const char* text;
    bool processes, mappings, cgroups;
  };
  for (const Case& row :
       {Case{"no", false, false, false}, Case{"none", false, false, false},
        Case{"all", true, true, true}, Case{"task", true, false, false},
        Case{"mmap", true, true, false}, Case{"cgroup", false, false, true},
        Case{"task,cgroup", true, false, true}, Case{"MMAP,Cgroup", true, true, true},
        Case{"mmap,no,cgroup", false, false, false}, Case{"task,all", true, true, true}}) {
    const auto found = existing_of(row.text);
    ASSERT_TRUE(found) << row.text;
    EXPECT_EQ(found->processes, row.processes) << row.text;
    EXPECT_EQ(found->mappings, row.mappings) << row.text;
    EXPECT_EQ(found->cgroups, row.cgroups) << row.text;
    EXPECT_EQ(existing_problem(row.text), "");
  }
  for (const char* text : {"", "tasks", "task,", "mmap2"}) {
    EXPECT_FALSE(existing_of(text)) << text;
    EXPECT_NE(existing_problem(text), "") << text;
  }
}

/// A check of an option's value, and texts that it accepts and refuses.
struct Check {
  std::string (*problem)(const std::string&);
  std::vector<const char*> good, bad;
};

TEST(Values, AreChecked) {
  const Check checks[] = {
      {frequency_problem, {"1", "4000", "max"}, {"0", "", "most", "4k", "-1"}},
      // The kernel copies stacks in words: perf_sample_ustack_size; USHRT_MAX of perf's
      // get_stack_size.
      {chain_problem,
       {"fp", "dwarf", "lbr", "dwarf,8", "dwarf,16384", "dwarf,65528"},
       {"", "fp,8", "lbr,8", "dwarf,0", "dwarf,7", "dwarf,65536", "dwarf,x", "dwarf,8,8", "x",
        "x,8"}},
      // ZSTD_maxCLevel() is 22.
      {level_problem, {"1", "22"}, {"0", "23", "", "x"}},
      {branch_problem, {"any", "any_call,u", "ind_call,k"}, {"", "anything", "any,x"}},
      {control_problem,
       {"fd:3", "fd:3,4", "fd:2147483647", "fifo:/a", "fifo:/a,/b"},
       {"", "3", "fd:", "fd:3,", "fd:3,4,5", "fd:x", "fd:2147483648", "fifo:", "fifo:/a,",
        "fifo:,/b", "fifo:/a,/b,/c", "pipe:/a"}},
      {start_problem, {"-1", "0", "100", "4294967295"}, {"", "-2", "4294967296", "x", "10-20"}},
      {cache_problem, {"L1", "l2", "L3", "l4", "last"}, {"", "L0", "L5", "L", "L22", "2", "K2"}},
  };
  for (const Check& check : checks) {
    for (const char* text : check.good) EXPECT_EQ(check.problem(text), "") << text;
    for (const char* text : check.bad) EXPECT_NE(check.problem(text), "") << text;
  }
  EXPECT_NE(chain_problem("dwarf,7").find("multiple of 8"), std::string::npos);
  EXPECT_NE(chain_problem("fp,8").find("none of fp"), std::string::npos);
}

std::optional<RecordOptions> with(void (*set)(RecordArguments&)) {
  RecordArguments given;
  given.command = {"true"};
  set(given);
  return record_options(given);
}

TEST(RecordOptions, FieldsAreThoseThatWereAskedFor) {
  struct Case {
    bool RecordArguments::*asked;
    const char* fields;
  };
  for (const Case& row :
       {Case{&RecordArguments::data, "addr,data_src,"}, Case{&RecordArguments::weight, "weight,"},
        Case{&RecordArguments::phys_data, "phys_addr,"},
        Case{&RecordArguments::data_page_size, "data_page_size,"},
        Case{&RecordArguments::code_page_size, "code_page_size,"},
        Case{&RecordArguments::sample_cpu, "cpu,"},
        Case{&RecordArguments::sample_period, "period,"}, Case{&RecordArguments::raw, "raw,cpu,"},
        Case{&RecordArguments::transactions, "transaction,"},
        Case{&RecordArguments::registers, "interrupt_registers,"},
        Case{&RecordArguments::user_registers, "user_registers,"},
        Case{&RecordArguments::quiet, ""}}) {
    RecordArguments given;
    given.*row.asked = true;
    const auto options = record_options(given);
    ASSERT_TRUE(options);
    EXPECT_EQ(options->sampling.fields, row.fields);
  }
}

/// Whether each switch of RecordOptions is on, in the order of kSwitches.
constexpr const char* kSwitches[] = {
    "inherit",        "per_thread",    "switches",       "namespaces",
    "cgroups",        "bpf_programs",  "running_time",   "thread_counts",
    "samples",        "as_stream",     "early_mappings", "snapshots",
    "enable_on_exec", "data_mappings", "user_chains",    "kernel_chains"};

std::string switches_on(const RecordOptions& of) {
  const bool on[] = {of.inherit,
                     of.per_thread,
                     of.switches,
                     of.namespaces,
                     of.cgroups,
                     of.bpf_programs,
                     of.running_time,
                     of.thread_counts,
                     of.samples,
                     of.as_stream,
                     of.early_mappings,
                     of.snapshots,
                     of.setup.enable_on_exec,
                     of.setup.data_mappings,
                     of.sampling.user_chains,
                     of.sampling.kernel_chains};
  std::string out;
  for (std::size_t i = 0; i < std::size(kSwitches); ++i)
    if (on[i]) out += std::string(" ") + kSwitches[i];
  return out;
}

TEST(RecordOptions, SwitchesAreThoseOfTheArguments) {
  using Set = void (*)(RecordArguments&);
  const std::pair<Set, const char*> rows[] = {
      {[](RecordArguments&) {},
       " inherit bpf_programs samples enable_on_exec user_chains kernel_chains"},
      {[](RecordArguments& of) { of.no_inherit = true; },
       " bpf_programs samples enable_on_exec user_chains kernel_chains"},
      {[](RecordArguments& of) { of.tids = "1"; },
       " bpf_programs samples user_chains kernel_chains"},
      {[](RecordArguments& of) { of.all_cpus = true; },
       " inherit bpf_programs samples user_chains kernel_chains"},
      {[](RecordArguments& of) { of.delay = "5"; },
       " inherit bpf_programs samples early_mappings user_chains kernel_chains"},
      {[](RecordArguments& of) {
         of.command.clear();
         of.pids = "1";
       },
       " inherit bpf_programs samples user_chains kernel_chains"},
      {[](RecordArguments& of) { of.command.clear(); },
       " inherit bpf_programs samples user_chains kernel_chains"},
      {[](RecordArguments& of) { of.data = true; },
       " inherit bpf_programs samples enable_on_exec data_mappings user_chains kernel_chains"},
      {[](RecordArguments& of) { of.data_mappings = true; },
       " inherit bpf_programs samples enable_on_exec data_mappings user_chains kernel_chains"},
      {[](RecordArguments& of) { of.user_chains = true; },
       " inherit bpf_programs samples enable_on_exec user_chains"},
      {[](RecordArguments& of) { of.kernel_chains = true; },
       " inherit bpf_programs samples enable_on_exec kernel_chains"},
      {[](RecordArguments& of) { of.user_chains = of.kernel_chains = true; },
       " inherit bpf_programs samples enable_on_exec user_chains kernel_chains"},
      {[](RecordArguments& of) { of.no_bpf = of.no_samples = true; },
       " inherit enable_on_exec user_chains kernel_chains"},
      {[](RecordArguments& of) { of.per_thread = of.namespaces = of.running_time = true; },
       " inherit per_thread namespaces bpf_programs running_time samples enable_on_exec user_chains"
       " kernel_chains"},
      {[](RecordArguments& of) { of.switches = of.all_cgroups = of.thread_counts = true; },
       " inherit switches cgroups bpf_programs thread_counts samples enable_on_exec user_chains"
       " kernel_chains"},
      {[](RecordArguments& of) {
         of.output = "-";
         of.snapshot = "0";
       },
       " inherit bpf_programs samples as_stream snapshots enable_on_exec user_chains"
       " kernel_chains"},
  };
  for (const auto& [set, expected] : rows) EXPECT_EQ(switches_on(*with(set)), expected);
}

TEST(RecordOptions, NumbersAreThoseOfTheArguments) {
  const auto made = with([](RecordArguments& of) {
    of.period = 77, of.max_stack = 9, of.pages = "128,256", of.snapshot = "4M", of.clock = "tai";
    of.compression = "3", of.max_size = "2K", of.call_graph = "dwarf,16384",
    of.branches = "any_ret";
    of.existing = "mmap", of.any_branch = true;
  });
  ASSERT_TRUE(made);
  EXPECT_EQ(made->sampling.period, 77U);
  EXPECT_EQ(made->sampling.max_stack, 9U);
  EXPECT_EQ(made->setup.buffer_pages, 128U);
  EXPECT_EQ(made->setup.trace_pages, 256U);
  EXPECT_EQ(made->snapshot_size, 4194304U);
  EXPECT_EQ(made->clock, CLOCK_TAI);
  EXPECT_EQ(made->compression, 3);
  EXPECT_EQ(made->max_size, 2048U);
  EXPECT_EQ(made->sampling.chains, CallChains::stack_copies);
  EXPECT_EQ(made->sampling.stack_size, 16384U);
  EXPECT_EQ(made->sampling.branches, PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_ANY_RETURN);
  EXPECT_EQ(std::pair(made->existing.mappings, made->existing.cgroups), std::pair(true, false));
  const auto plain = with([](RecordArguments&) {});
  EXPECT_EQ(plain->sampling.chains, CallChains::none);
  EXPECT_EQ(plain->sampling.branches, 0U);
  EXPECT_EQ(std::pair(plain->compression, plain->max_size), std::pair(0, std::uint64_t{0}));
  EXPECT_FALSE(plain->clock || plain->snapshots);
  EXPECT_TRUE(plain->existing.cgroups);
}

TEST(RecordOptions, CallersAreFoundAsAsked) {
  using Set = void (*)(RecordArguments&);
  const std::pair<Set, CallChains> rows[] = {
      {[](RecordArguments& of) { of.graph = true; }, CallChains::frame_pointers},
      {[](RecordArguments& of) { of.call_graph = "fp"; }, CallChains::frame_pointers},
      {[](RecordArguments& of) { of.call_graph = "lbr"; }, CallChains::branch_records},
      {[](RecordArguments& of) { of.call_graph = "dwarf"; }, CallChains::stack_copies},
      {[](RecordArguments& of) { of.graph = true, of.call_graph = "lbr"; },
       CallChains::branch_records},
  };
  for (const auto& [set, expected] : rows) EXPECT_EQ(with(set)->sampling.chains, expected);
  EXPECT_EQ(with(rows[3].first)->sampling.stack_size, 8192U);  // perf's default
}

TEST(RecordTarget, IsWhatTheArgumentsName) {
  using Kind = CountTarget::Kind;
  struct Case {
    void (*set)(RecordArguments&);
    Kind kind;
    std::vector<int> ids;
    std::vector<int> cpus;
  };
  const Case rows[] = {
      {[](RecordArguments&) {}, CountTarget::process(42).kind, {42}, {}},
      {[](RecordArguments& of) { of.pids = "7,9"; }, Kind::processes, {7, 9}, {}},
      {[](RecordArguments& of) { of.tids = "7,9"; }, Kind::threads, {7, 9}, {}},
      {[](RecordArguments& of) { of.all_cpus = true; }, CountTarget::on_cpus().kind, {}, {}},
      {[](RecordArguments& of) { of.cpus = "0,2-3"; }, CountTarget::on_cpus().kind, {}, {0, 2, 3}},
      {[](RecordArguments& of) { of.cgroup = "g"; }, CountTarget::in_cgroup("g").kind, {}, {}},
      {[](RecordArguments& of) { of.cgroup = "g", of.cpus = "1"; },
       CountTarget::in_cgroup("g").kind,
       {},
       {1}},
  };
  for (const Case& row : rows) {
    RecordArguments given;
    row.set(given);
    const auto target = record_target(given, 42);
    ASSERT_TRUE(target);
    EXPECT_EQ(target->kind, row.kind);
    EXPECT_EQ(std::vector<int>(target->ids.begin(), target->ids.end()), row.ids);
    EXPECT_EQ(std::vector<int>(target->cpus.begin(), target->cpus.end()), row.cpus);
    EXPECT_EQ(target->cgroup, given.cgroup);
  }
}

TEST(RecordTarget, OfAUserAreTheProcessesOfTheUser) {
  for (const bool all : {false, true}) {
    RecordArguments given;
    given.all_cpus = all;
    given.user = std::to_string(getuid());
    const auto target = record_target(given, 42);
    ASSERT_TRUE(target);
    EXPECT_EQ(target->kind, CountTarget::Kind::processes);
    EXPECT_NE(std::ranges::find(target->ids, getpid()), target->ids.end());
    EXPECT_EQ(std::ranges::find(target->ids, 42000000), target->ids.end());
  }
  RecordArguments given;
  given.user = "no such user";
  EXPECT_FALSE(record_target(given, 42));
  given.user = "4294967000";
  EXPECT_FALSE(record_target(given, 42));
}

}  // namespace
}  // namespace evname::tools
