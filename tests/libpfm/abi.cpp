// evname's libpfm.so.4 and libpfm4's own header: the layouts are equal, what crashes libpfm4 is an
// error, and threads and children of forks can use the library.

#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "libpfm/abi.hpp"

namespace own = evname::libpfm;

#define SAME_MEMBER(Ours, ours, theirs, member)                         \
  static_assert(offsetof(own::Ours, ours) == offsetof(theirs, member)); \
  static_assert(sizeof(own::Ours::ours) == sizeof(theirs::member))
#define SAME_NAMED(Ours, theirs, member) SAME_MEMBER(Ours, member, theirs, member)

static_assert(sizeof(own::PmuInfo) == sizeof(pfm_pmu_info_t) &&
              own::kPmuInfoSize0 == PFM_PMU_INFO_ABI0);
SAME_NAMED(PmuInfo, pfm_pmu_info_t, name);
SAME_NAMED(PmuInfo, pfm_pmu_info_t, desc);
SAME_NAMED(PmuInfo, pfm_pmu_info_t, size);
SAME_NAMED(PmuInfo, pfm_pmu_info_t, pmu);
SAME_NAMED(PmuInfo, pfm_pmu_info_t, type);
SAME_NAMED(PmuInfo, pfm_pmu_info_t, nevents);
SAME_NAMED(PmuInfo, pfm_pmu_info_t, first_event);
SAME_NAMED(PmuInfo, pfm_pmu_info_t, max_encoding);
SAME_NAMED(PmuInfo, pfm_pmu_info_t, num_cntrs);
SAME_NAMED(PmuInfo, pfm_pmu_info_t, num_fixed_cntrs);
static_assert(sizeof(own::EventInfo) == sizeof(pfm_event_info_t) &&
              own::kEventInfoSize0 == PFM_EVENT_INFO_ABI0);
SAME_NAMED(EventInfo, pfm_event_info_t, name);
SAME_NAMED(EventInfo, pfm_event_info_t, desc);
SAME_NAMED(EventInfo, pfm_event_info_t, equiv);
SAME_NAMED(EventInfo, pfm_event_info_t, size);
SAME_NAMED(EventInfo, pfm_event_info_t, code);
SAME_NAMED(EventInfo, pfm_event_info_t, pmu);
SAME_NAMED(EventInfo, pfm_event_info_t, dtype);
SAME_NAMED(EventInfo, pfm_event_info_t, idx);
SAME_NAMED(EventInfo, pfm_event_info_t, nattrs);
static_assert(sizeof(own::AttributeInfo) == sizeof(pfm_event_attr_info_t) &&
              own::kAttributeInfoSize0 == PFM_ATTR_INFO_ABI0);
SAME_NAMED(AttributeInfo, pfm_event_attr_info_t, name);
SAME_NAMED(AttributeInfo, pfm_event_attr_info_t, equiv);
SAME_NAMED(AttributeInfo, pfm_event_attr_info_t, size);
SAME_NAMED(AttributeInfo, pfm_event_attr_info_t, code);
SAME_NAMED(AttributeInfo, pfm_event_attr_info_t, type);
SAME_NAMED(AttributeInfo, pfm_event_attr_info_t, idx);
SAME_NAMED(AttributeInfo, pfm_event_attr_info_t, ctrl);
SAME_NAMED(AttributeInfo, pfm_event_attr_info_t, dfl_val64);
static_assert(sizeof(own::RawArgument) == sizeof(pfm_pmu_encode_arg_t) &&
              own::kRawArgumentSize0 == PFM_RAW_ENCODE_ABI0);
SAME_NAMED(RawArgument, pfm_pmu_encode_arg_t, codes);
SAME_NAMED(RawArgument, pfm_pmu_encode_arg_t, fstr);
SAME_NAMED(RawArgument, pfm_pmu_encode_arg_t, size);
SAME_NAMED(RawArgument, pfm_pmu_encode_arg_t, count);
SAME_NAMED(RawArgument, pfm_pmu_encode_arg_t, idx);
static_assert(sizeof(own::PerfArgument) == sizeof(pfm_perf_encode_arg_t) &&
              own::kPerfArgumentSize0 == PFM_PERF_ENCODE_ABI0);
SAME_NAMED(PerfArgument, pfm_perf_encode_arg_t, attr);
SAME_NAMED(PerfArgument, pfm_perf_encode_arg_t, fstr);
SAME_NAMED(PerfArgument, pfm_perf_encode_arg_t, size);
SAME_NAMED(PerfArgument, pfm_perf_encode_arg_t, idx);
SAME_NAMED(PerfArgument, pfm_perf_encode_arg_t, cpu);
SAME_NAMED(PerfArgument, pfm_perf_encode_arg_t, flags);
static_assert(own::kSuccess == PFM_SUCCESS && own::kInvalid == PFM_ERR_INVAL &&
              own::kTooSmall == PFM_ERR_TOOSMALL);
static_assert(own::kVersion == LIBPFM_VERSION);

namespace {

int faults = 0;

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  ++faults;
}

int encode(const std::string& text) {
  std::uint64_t codes[8];
  pfm_pmu_encode_arg_t argument{};
  argument.codes = codes;
  argument.count = 8;
  return pfm_get_os_event_encoding(text.c_str(), PFM_PLM3, PFM_OS_NONE, &argument);
}

void wrong_arguments() {
  pfm_perf_encode_arg_t perf{};
  check(pfm_get_os_event_encoding("CYCLES", PFM_PLM3, PFM_OS_PERF_EVENT, &perf) == PFM_ERR_INVAL,
        "no attr");
  perf_event_attr attr{};
  perf.attr = &attr;
  perf.size = SIZE_MAX;
  check(pfm_get_os_event_encoding("CYCLES", PFM_PLM3, PFM_OS_PERF_EVENT, &perf) == PFM_ERR_INVAL,
        "size of the argument");
  perf.size = 0;
  attr.size = 0xffffffff;
  check(pfm_get_os_event_encoding("CYCLES", PFM_PLM3, PFM_OS_PERF_EVENT, &perf) == PFM_SUCCESS &&
            attr.size == 0xffffffff,
        "size of the attr");
  pfm_pmu_info_t pmu{};
  pmu.size = SIZE_MAX;
  check(pfm_get_pmu_info(PFM_PMU_PERF_EVENT, &pmu) == PFM_ERR_INVAL, "size of a PMU");
}

void long_texts() {
  const std::string many(10 << 20, 'x');
  check(encode(many) == PFM_ERR_NOTFOUND, "a long event");
  check(encode("skx::" + many) == PFM_ERR_NOTFOUND, "a long event of a PMU");
  check(encode(many + "::CYCLES") == PFM_ERR_NOTFOUND, "a long PMU");
  check(encode("perf::CYCLES:" + many) == PFM_ERR_ATTR, "a long attribute");
  check(encode("perf::CYCLES" + std::string(10 << 20, ':')) == PFM_ERR_ATTR, "many separators");
  std::string list = "perf::PERF_COUNT_HW_CACHE_L1D";
  for (int i = 0; i < 100000; ++i) list += ":READ";
  check(encode(list) == PFM_SUCCESS || encode(list) == PFM_ERR_TOOMANY, "many unit masks");
}

/// Files in the place of /proc/cpuinfo: the PMUs are those that generic events have.
void odd_cpuinfos() {
  char path[] = "/tmp/evname-cpuinfo-XXXXXX";
  const int file = mkstemp(path);
  setenv("LIBPFM_PROC_CPUINFO", path, 1);
  const std::string intel = "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t: 85\n";
  const struct {
    std::string text;
    bool is_skylake;
  } kFiles[] = {{"", false},
                {std::string(100000, 'x'), false},
                {std::string(100000, ':') + "\n" + intel + "stepping : 4\n", true},
                {intel, true},
                {intel + "stepping\t: unknown\n", true},
                {"flags : " + std::string(4089, 'f') + "\n" + intel, true},
                {"model : 99999999999999999999\n" + intel, true},
                {"CPU part : 0x\nCPU implementer\nCPU architecture:", false},
                {std::string(3, '\0') + "\n:\n::\n" + intel, true}};
  for (const auto& one : kFiles) {
    pfm_terminate();
    check(ftruncate(file, 0) == 0 && pwrite(file, one.text.data(), one.text.size(), 0) ==
                                         static_cast<ssize_t>(one.text.size()),
          "a file");
    // Another value, so that the file is read again.
    setenv("LIBPFM_DISABLED_PMUS", ("no" + std::to_string(&one - kFiles)).c_str(), 1);
    check(pfm_initialize() == PFM_SUCCESS && encode("perf::CYCLES") == PFM_SUCCESS, "odd cpuinfo");
    check((encode("skx::UOPS_ISSUED:ANY") == PFM_SUCCESS) == one.is_skylake, one.text.c_str());
  }
  close(file);
  unlink(path);
  unsetenv("LIBPFM_PROC_CPUINFO");
  unsetenv("LIBPFM_DISABLED_PMUS");
  pfm_terminate();
  pfm_initialize();
}

/// Texts of bytes that no name has, and of names put together at random.
void random_texts() {
  static const char* const kPieces[] = {"perf",
                                        "::",
                                        ":",
                                        ".",
                                        "=",
                                        "CYCLES",
                                        "0x",
                                        "u",
                                        "sched",
                                        "skx",
                                        "OFFCORE_RESPONSE_0",
                                        "ANY_REQUEST",
                                        "\x80",
                                        "1",
                                        "r",
                                        "18446744073709551616",
                                        "period",
                                        "c",
                                        " ",
                                        ","};
  std::uint32_t state = 1;
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (int pieces = i % 12; pieces > 0; --pieces) {
      state = state * 1664525 + 1013904223;
      text += kPieces[(state >> 16) % std::size(kPieces)];
    }
    const int status = encode(text);
    check(status <= 0 && status >= PFM_ERR_TOOSMALL, text.c_str());
    pfm_find_event(text.c_str());
    perf_event_attr attr{};
    char* name = nullptr;
    if (pfm_get_perf_event_encoding(text.c_str(), PFM_PLM3, &attr, &name, nullptr) == PFM_SUCCESS)
      std::free(name);
  }
}

void threads_and_children() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      for (int turn = 0; turn < 2000; ++turn) {
        pfm_initialize();
        const int status = encode("perf::INSTRUCTIONS");
        check(status == PFM_SUCCESS || status == PFM_ERR_NOINIT, "a thread");
        if (turn % 100 == 0) pfm_terminate();
      }
    });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(10);
      pfm_initialize();
      _exit(encode("perf::INSTRUCTIONS") == PFM_SUCCESS ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a child");
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

int main() {
  check(pfm_get_event_next(0) == -1 && encode("CYCLES") == PFM_ERR_NOINIT, "before initialize");
  check(pfm_initialize() == PFM_SUCCESS, "initialize");
  wrong_arguments();
  long_texts();
  for (int i = 0; i < 1024; ++i) {
    pfm_pmu_info_t pmu{};
    if (pfm_get_pmu_info(static_cast<pfm_pmu_t>(i), &pmu) == PFM_SUCCESS)
      check(pfm_pmu_validate(static_cast<pfm_pmu_t>(i), stderr) == PFM_SUCCESS, "validate");
  }
  odd_cpuinfos();
  random_texts();
  threads_and_children();
  return faults == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
