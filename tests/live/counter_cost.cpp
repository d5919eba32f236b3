// What reading counters costs, beside the bare system call and the bare register. Prints ns per
// read of each, the least of some rounds; a group of so many events as are named.
// Usage: counter-cost [EVENTS]; on arm64, kernel.perf_user_access has to be 1 for reads in user
// space.

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <evname/counters.hpp>
#include <evname/encoding.hpp>
#include <vector>

namespace {

constexpr int kRounds = 50, kReads = 1000;

template <class Read>
double round_ns(Read read) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kReads; ++i) read();
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
  return spent.count() / kReads;
}

/// The least of the rounds of both, which take turns: others use the machine, too.
template <class Bare, class Own>
void compare(const char* bare_name, Bare bare, const char* own_name, Own own) {
  double least_bare = round_ns(bare), least_own = round_ns(own);
  for (int round = 1; round < kRounds; ++round) {
    least_bare = std::min(least_bare, round_ns(bare));
    least_own = std::min(least_own, round_ns(own));
  }
  std::printf("%s %.1f\n%s %.1f\nfactor %.2f\n", bare_name, least_bare, own_name, least_own,
              least_own / least_bare);
}

/// The group as a program would open it that knows only the kernel.
int open_bare(std::span<const evname::Encoding> events) {
  int leader = -1;
  for (const evname::Encoding& event : events) {
    perf_event_attr attr{};
    attr.read_format =
        PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    if (!evname::fill_attr(event, attr)) return -1;
    const auto file =
        static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC));
    if (file < 0) return -1;
    if (leader < 0) leader = file;
  }
  return leader;
}

#if defined(__aarch64__)
unsigned long bare_register() {
  unsigned long value;
  asm volatile("mrs %0, pmccntr_el0" : "=r"(value));
  return value;
}
#elif defined(__x86_64__)
unsigned long bare_register() { return __builtin_ia32_rdpmc(0); }
#else
unsigned long bare_register() { return 0; }
#endif

}  // namespace

int main(int argc, char** argv) {
  const auto machine = evname::Machine::live();
  if (!machine) return std::fprintf(stderr, "%s\n", machine.error().text().c_str()), 1;
  const char* const events = argc > 1 ? argv[1] : "{page-faults:u,context-switches:u}";
  std::vector<evname::CounterValue> values;
  bool failed = false;
  for (const bool user_reads : {false, true}) {
    const auto counters = evname::Counters::open(*machine, events, {}, {.user_reads = user_reads});
    if (!counters) return std::fprintf(stderr, "%s\n", counters.error().text().c_str()), 77;
    values.resize(counters->events().size());
    if (!counters->enable()) return 1;
    const auto read = [&] { failed |= !counters->read(values); };
    if (!user_reads) {
      const int bare = open_bare(counters->events());
      if (bare < 0) return 77;
      std::uint64_t words[64];
      compare(
          "bare read()", [&] { failed |= ::read(bare, words, sizeof words) <= 0; },
          "Counters::read()", read);
    } else if (counters->user_readable() == values.size()) {
      const auto bare = [&] {
        for (std::size_t i = 0; i < values.size(); ++i) (void)bare_register();
      };
      compare("bare register", bare, "Counters::read() in user space", read);
    } else {
      std::printf("no reads in user space: %zu of %zu events\n", counters->user_readable(),
                  values.size());
    }
    for (std::size_t i = 0; i < values.size(); ++i)
      std::printf("%s %llu\n", std::string(counters->events()[i].name).c_str(),
                  static_cast<unsigned long long>(values[i].value));
  }
  return failed;
}
