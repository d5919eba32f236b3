// The perf_event_attr of sampled events. The expected members are what `perf record -vv` of
// Linux 7.3 prints for the same options, apart from three things: evname asks for IDENTIFIER where
// perf asks for ID or for nothing, its buffers have watermarks, and a clock's own event is not
// added. The headers include/uapi/linux/perf_event.h of older kernels lack the features that are
// given up.

#include "sampling/sampling_attr.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <string>
#include <vector>

namespace evname::sampling {
namespace {

using counting::as_struct;
using counting::AttrBytes;

/// Names of bits, from the lowest.
constexpr std::string_view kSampleNames =
    "IP TID TIME ADDR READ CALLCHAIN ID CPU PERIOD STREAM_ID RAW BRANCH_STACK REGS_USER STACK_USER "
    "WEIGHT DATA_SRC IDENTIFIER TRANSACTION REGS_INTR PHYS_ADDR AUX CGROUP DATA_PAGE_SIZE "
    "CODE_PAGE_SIZE WEIGHT_STRUCT";
constexpr std::string_view kReadNames = "TOTAL_TIME_ENABLED TOTAL_TIME_RUNNING ID GROUP LOST";

std::string bits_of(std::uint64_t value, std::string_view names) {
  std::string out;
  for (; value != 0; value >>= 1) {
    const std::size_t end = std::min(names.find(' '), names.size());
    if (value & 1) out.append(out.empty() ? "" : "|").append(names.substr(0, end));
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return out;
}

/// The members that are not 0, in perf's words, without type, size and config.
std::string text_of(const perf_event_attr& attr) {
  std::string out =
      fmt::format("{} {} {}", attr.sample_period, bits_of(attr.sample_type, kSampleNames),
                  bits_of(attr.read_format, kReadNames));
  const auto add = [&](std::string_view name, std::uint64_t value) {
    if (value != 0) out.append(" ").append(name);
    if (value > 1) out += fmt::format("={:#x}", value);
  };
#define MEMBER(name) add(#name, attr.name)
  MEMBER(disabled), MEMBER(inherit), MEMBER(mmap), MEMBER(comm), MEMBER(freq), MEMBER(inherit_stat);
  MEMBER(enable_on_exec), MEMBER(task), MEMBER(watermark), MEMBER(mmap_data), MEMBER(sample_id_all);
  MEMBER(exclude_kernel), MEMBER(exclude_guest), MEMBER(exclude_callchain_kernel),
      MEMBER(exclude_callchain_user);
  MEMBER(mmap2), MEMBER(comm_exec), MEMBER(use_clockid), MEMBER(context_switch), MEMBER(namespaces);
  MEMBER(ksymbol), MEMBER(bpf_event), MEMBER(cgroup), MEMBER(build_id), MEMBER(clockid);
  MEMBER(branch_sample_type), MEMBER(sample_regs_user), MEMBER(sample_regs_intr),
      MEMBER(sample_stack_user), MEMBER(sample_max_stack);
#undef MEMBER
  return out;
}

Encoding event_of(std::uint32_t type, std::uint64_t config) {
  Encoding out;
  out.code.type = type;
  out.code.has_type = 1;
  out.code.config[0] = config;
  return out;
}

/// The attr of an event with an option, alone in a recording of a command.
perf_event_attr attr_of(void (*set)(RecordOptions&, EventRole&),
                        const Encoding& event = event_of(PERF_TYPE_SOFTWARE, 0)) {
  RecordOptions common;
  common.setup.enable_on_exec = true;
  EventRole role{.tracks = true, .is_alone = true};
  if (set != nullptr) set(common, role);
  const auto options = options_of_event(event, common);
  EXPECT_TRUE(options) << options.error().text();
  role.own = &*options;
  return as_struct(sampling_attr(event, role));
}

TEST(SamplingAttr, IsWhatPerfRecordAsksFor) {
  const struct {
    const char* option;
    void (*set)(RecordOptions&, EventRole&);
    const char* expected;
  } rows[] = {
      {"", nullptr,
       "4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit mmap comm freq enable_on_exec task "
       "watermark sample_id_all mmap2 "
       "comm_exec ksymbol bpf_event build_id"},
      {"-c 1000", [](RecordOptions& options, EventRole&) { options.sampling.period = 1000; },
       "1000 IP|TID|TIME ID|LOST disabled inherit mmap comm enable_on_exec task watermark "
       "sample_id_all mmap2 comm_exec "
       "ksymbol bpf_event build_id"},
      {"-F 99", [](RecordOptions& options, EventRole&) { options.sampling.frequency = 99; },
       "99 IP|TID|TIME|PERIOD ID|LOST disabled inherit mmap comm freq enable_on_exec task "
       "watermark sample_id_all mmap2 "
       "comm_exec ksymbol bpf_event build_id"},
      {"--call-graph dwarf,4096 (perf follows mappings of data as well)",
       [](RecordOptions& options, EventRole&) {
         options.sampling.chains = CallChains::stack_copies;
         options.sampling.stack_size = 4096;
       },
       "4000 IP|TID|TIME|CALLCHAIN|PERIOD|REGS_USER|STACK_USER ID|LOST disabled inherit mmap comm "
       "freq enable_on_exec task "
       "watermark sample_id_all exclude_callchain_user mmap2 comm_exec ksymbol bpf_event build_id "
       "sample_regs_user=REGS "
       "sample_stack_user=0x1000"},
      {"--call-graph lbr",  // USER|CALL_STACK|NO_FLAGS|NO_CYCLES|HW_INDEX
       [](RecordOptions& options, EventRole&) {
         options.sampling.chains = CallChains::branch_records;
       },
       "4000 IP|TID|TIME|CALLCHAIN|PERIOD|BRANCH_STACK ID|LOST disabled inherit mmap comm freq "
       "enable_on_exec task watermark "
       "sample_id_all mmap2 comm_exec ksymbol bpf_event build_id "
       "branch_sample_type=0x2c801"},
      {"-j any,u",
       [](RecordOptions& options, EventRole&) {
         options.sampling.branches = parse_branch_types("any,u").value();
       },
       "4000 IP|TID|TIME|PERIOD|BRANCH_STACK ID|LOST disabled inherit mmap comm freq "
       "enable_on_exec task watermark "
       "sample_id_all mmap2 comm_exec ksymbol bpf_event build_id branch_sample_type=0x9"},
      {"-a",  // the dummy event of perf, which tracks, has no part here
       [](RecordOptions& options, EventRole& role) {
         options.setup.enable_on_exec = role.tracks = role.is_alone = false;
         role.of_cpu = true;
       },
       "4000 IP|TID|TIME|CPU|PERIOD|IDENTIFIER ID|LOST disabled freq watermark sample_id_all"},
      {"-i", [](RecordOptions& options, EventRole&) { options.inherit = false; },
       "4000 IP|TID|TIME|PERIOD ID|LOST disabled mmap comm freq enable_on_exec task watermark "
       "sample_id_all mmap2 comm_exec "
       "ksymbol bpf_event build_id"},
      {"--per-thread", [](RecordOptions& options, EventRole&) { options.per_thread = true; },
       "4000 IP|TID|TIME|PERIOD ID|LOST disabled mmap comm freq enable_on_exec task watermark "
       "sample_id_all mmap2 comm_exec "
       "ksymbol bpf_event build_id"},
      {"-k CLOCK_MONOTONIC", [](RecordOptions& options, EventRole&) { options.clock = 1; },
       "4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit mmap comm freq enable_on_exec task "
       "watermark sample_id_all mmap2 "
       "comm_exec use_clockid ksymbol bpf_event build_id clockid"},
      {"--switch-events --namespaces --no-bpf-event",
       [](RecordOptions& options, EventRole&) {
         options.switches = options.namespaces = true;
         options.bpf_programs = false;
       },
       "4000 IP|TID|TIME|PERIOD ID|LOST disabled inherit mmap comm freq enable_on_exec task "
       "watermark sample_id_all mmap2 "
       "comm_exec context_switch namespaces build_id"},
      {"--all-cgroups", [](RecordOptions& options, EventRole&) { options.cgroups = true; },
       "4000 IP|TID|TIME|PERIOD|CGROUP ID|LOST disabled inherit mmap comm freq enable_on_exec task "
       "watermark sample_id_all "
       "mmap2 comm_exec ksymbol bpf_event cgroup build_id"},
      {"-s", [](RecordOptions& options, EventRole&) { options.thread_counts = true; },
       "4000 IP|TID|TIME|PERIOD TOTAL_TIME_ENABLED|TOTAL_TIME_RUNNING|ID|LOST disabled inherit "
       "mmap comm freq inherit_stat "
       "enable_on_exec task watermark sample_id_all mmap2 comm_exec ksymbol bpf_event build_id"},
      {"{…,…}:S, the first",
       [](RecordOptions&, EventRole& role) {
         role.reads_group = true;
         role.is_alone = false;
       },
       "4000 IP|TID|TIME|READ|PERIOD|IDENTIFIER ID|GROUP|LOST disabled inherit mmap comm freq "
       "enable_on_exec task watermark "
       "sample_id_all mmap2 comm_exec ksymbol bpf_event build_id"},
      {"{…,…}:S, the second",
       [](RecordOptions&, EventRole& role) {
         role.reads_group = role.is_member = true;
         role.is_alone = role.leads = role.tracks = false;
       },
       "0 IP|TID|TIME|READ|PERIOD|IDENTIFIER ID|GROUP|LOST inherit watermark sample_id_all"},
      {"-d -W --phys-data",
       [](RecordOptions& options, EventRole&) {
         options.sampling.fields = "addr, data_src,weight,phys_addr";
         options.setup.data_mappings = true;
       },
       "4000 IP|TID|TIME|ADDR|PERIOD|DATA_SRC|PHYS_ADDR|WEIGHT_STRUCT ID|LOST disabled inherit "
       "mmap comm freq enable_on_exec "
       "task watermark mmap_data sample_id_all mmap2 comm_exec ksymbol bpf_event build_id"},
  };
  const std::string registers = fmt::format("{:#x}", attr_of(rows[3].set).sample_regs_user);
  for (const auto& row : rows) {
    std::string expected = row.expected;
    if (const std::size_t at = expected.find("REGS ");
        at != std::string::npos && expected[at - 1] == '=')
      expected.replace(at, 4, registers);
    EXPECT_EQ(text_of(attr_of(row.set)), expected) << row.option;
  }
#ifdef __x86_64__
  EXPECT_EQ(registers, "0xff0fff");
#endif
}

TEST(SamplingAttr, OfOtherEvents) {
  EXPECT_EQ(text_of(attr_of(nullptr, event_of(PERF_TYPE_TRACEPOINT, 0x174))),
            "1 IP|TID|TIME|CPU|PERIOD|RAW ID|LOST disabled inherit mmap comm enable_on_exec task "
            "watermark sample_id_all "
            "mmap2 comm_exec ksymbol bpf_event build_id");
  Encoding event = event_of(PERF_TYPE_RAW, 0x1d1);
  event.period = 2'000'003;  // what the vendor's file suggests
  EXPECT_EQ(attr_of(nullptr, event).sample_period, 2'000'003u);
  EXPECT_EQ(
      attr_of([](RecordOptions& options, EventRole&) { options.sampling.frequency = 7; }, event)
          .sample_freq,
      7u);
  EXPECT_EQ(frequency_of(event, {}), 0u);
  EXPECT_EQ(frequency_of(event_of(PERF_TYPE_RAW, 0x1d1), {}), 4000u);
}

// PERF_ATTR_SIZE_VER5 has sample_max_stack, VER6 aux_sample_size, VER7 sig_data.
TEST(SamplingAttr, HasTheLeastSizeThatItNeeds) {
  EXPECT_EQ(attr_of(nullptr).size, 112u);
  Encoding event = event_of(PERF_TYPE_RAW, 1);
  event.code.config[3] = 5;
  EXPECT_EQ(attr_of(nullptr, event).size, 136u);
}

/// Asks for all that some kernel lacks.
AttrBytes greedy() {
  RecordOptions common;
  common.cgroups = common.namespaces = common.switches = true;
  common.clock = 4;
  common.sampling.branches = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HW_INDEX;
  common.sampling.fields = "weight,phys_addr,data_page_size,code_page_size";
  const Encoding event = event_of(PERF_TYPE_RAW, 0);
  EventOptions own = options_of_event(event, common).value();
  AttrBytes out = sampling_attr(event, {.tracks = true, .reads_group = true, .own = &own});
  perf_event_attr attr = as_struct(out);
  attr.exclude_guest = true;
  counting::store(out, attr);
  return out;
}

TEST(GiveUp, TakesAwayOneFeatureAtATimeTheNewestFirst) {
  const struct {
    const char *what, *before, *after;  // words of text_of()
  } rows[] = {
      {"counts in the samples of threads that are created later (Linux 6.12)", " inherit", ""},
      {"numbers of lost samples (Linux 6.0)", "|LOST", ""},
      {"build ids of mappings (Linux 5.12)", " build_id", ""},
      {"weights in parts (Linux 5.12)", "|WEIGHT_STRUCT", "|WEIGHT"},
      {"sizes of code pages (Linux 5.11)", "|CODE_PAGE_SIZE", ""},
      {"sizes of data pages (Linux 5.11)", "|DATA_PAGE_SIZE", ""},
      {"cgroups (Linux 5.7)", "|CGROUP", ""},
      {"numbers of entries in branch records (Linux 5.7)", "branch_sample_type=0x20008",
       "branch_sample_type=0x8"},
      {"BPF programs (Linux 5.1)", " bpf_event", ""},
      {"symbols that the kernel adds (Linux 5.1)", " ksymbol", ""},
      {"namespaces (Linux 4.12)", " namespaces", ""},
      {"physical addresses (Linux 4.14)", "|PHYS_ADDR", ""},
      {"context switches (Linux 4.3)", " context_switch", ""},
      {"the clock that was asked for (Linux 4.1)", " use_clockid", ""},
      {"the exclusion of guests", " exclude_guest", ""},
      {"samples of guests", "", " exclude_guest"},
  };
  AttrBytes bytes = greedy();
  std::size_t step = 0;
  for (const auto& row : rows) {
    SCOPED_TRACE(row.what);
    const std::string before = text_of(as_struct(bytes));
    const auto given_up = give_up(bytes, step++);
    ASSERT_TRUE(given_up);
    EXPECT_EQ(given_up->what, row.what);
    EXPECT_TRUE(given_up->had_it);
    const std::string after = text_of(as_struct(bytes));
    EXPECT_NE(before.find(row.before), std::string::npos) << before;
    EXPECT_NE(after.find(row.after), std::string::npos) << after;
    if (*row.before == '\0') continue;
    const std::string_view end = row.before[0] == '|' ? "" : " ";
    EXPECT_EQ((after + " ").find(std::string(row.before).append(end)), std::string::npos) << after;
  }
  EXPECT_FALSE(give_up(bytes, step));
  EXPECT_EQ(text_of(as_struct(bytes)),
            "4000 IP|TID|TIME|READ|PERIOD|BRANCH_STACK|WEIGHT|IDENTIFIER ID|GROUP disabled mmap "
            "comm freq task watermark "
            "sample_id_all exclude_guest mmap2 comm_exec branch_sample_type=0x8");
}

TEST(GiveUp, ChangesNothingThatWasNotAskedFor) {
  AttrBytes plain{};
  perf_event_attr attr{};
  attr.exclude_guest = 1;
  counting::store(plain, attr);
  for (std::size_t step = 0; step < 14; ++step) {
    AttrBytes changed = plain;
    EXPECT_FALSE(give_up(changed, step)->had_it) << step;
    EXPECT_EQ(changed, plain) << step;
  }
}

TEST(OptionsOfEvent, FieldsSetBitsAndWhatTheyNeed) {
  const struct {
    const char* fields;
    std::uint64_t bits, branches;
    CallChains chains;
  } rows[] = {
      {"", 0, 0, CallChains::none},
      {"cpu,,addr", PERF_SAMPLE_CPU | PERF_SAMPLE_ADDR, 0, CallChains::none},
      {" raw , period ", PERF_SAMPLE_RAW | PERF_SAMPLE_PERIOD, 0, CallChains::none},
      {"callchain", 0, 0, CallChains::frame_pointers},
      {"branches", PERF_SAMPLE_BRANCH_STACK, PERF_SAMPLE_BRANCH_ANY, CallChains::none},
  };
  for (const auto& row : rows) {
    RecordOptions common;
    common.sampling.fields = row.fields;
    const auto out = options_of_event(event_of(PERF_TYPE_SOFTWARE, 0), common);
    ASSERT_TRUE(out) << row.fields << ": " << out.error().text();
    EXPECT_EQ(out->bits, row.bits) << row.fields;
    EXPECT_EQ(out->sampling.branches, row.branches) << row.fields;
    EXPECT_EQ(out->sampling.chains, row.chains) << row.fields;
  }
  RecordOptions wrong;
  wrong.sampling.fields = "cpu,wieght";
  const auto refused = options_of_event(event_of(PERF_TYPE_SOFTWARE, 0), wrong);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "samples have no field 'wieght'");
  EXPECT_EQ(refused.error().hint, "did you mean weight?");
}

}  // namespace
}  // namespace evname::sampling
