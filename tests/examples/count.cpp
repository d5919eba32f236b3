// Counts events while a function of this program runs.
// Usage: count [EVENTS], as perf's -e takes them: "instructions:u" (by default; "page-faults:u"
// where there is no core PMU), "{cycles,instructions}:u".
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <evname/encoding.hpp>
#include <evname/evname.hpp>
#include <numeric>
#include <string>
#include <vector>

namespace {

enum Outcome : int { counted = 0, failed = 1, refused = 77 };  // 77: skipped, for Meson

// evname says which event it is; whom to count, and when, is the program's own affair: here this
// thread, wherever it runs, from now on. Returns a file, or below 0 with errno.
int open_event(const evname::Encoding& event, int leader) {
  perf_event_attr attr{};
  if (const auto filled = evname::fill_attr(event, attr); !filled) {
    std::fprintf(stderr, "%s: %s\n", std::string(event.name).c_str(),
                 filled.error().text().c_str());
    return errno = EINVAL, -1;
  }
  return static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC));
}

long work() {
  const std::vector<long> numbers(1 << 20, 3);  // in pages that have to be made first
  return std::accumulate(numbers.begin(), numbers.end(), 0L);
}

// A name can stand for several events: one for each kind of core.
Outcome count(const evname::Machine& machine, const std::string& names) {
  const auto found = machine.resolve(names);
  if (!found) return std::fprintf(stderr, "%s\n", found.error().text().c_str()), failed;
  const std::vector<evname::Encoding> events = machine.regroup(*found);
  std::vector<int> files;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const std::size_t leader = events[i].leader;
    files.push_back(open_event(events[i], leader == i ? -1 : files[leader]));
    if (files.back() >= 0) continue;
    const bool forbidden = errno == EACCES || errno == EPERM || errno == ENOSYS;
    return std::perror(names.c_str()), forbidden ? refused : failed;
  }
  const long sum = work();
  for (std::size_t i = 0; i < events.size(); ++i) {
    unsigned long long value = 0;
    if (read(files[i], &value, sizeof value) != sizeof value) return failed;
    close(files[i]);
    std::printf("%s %s: %llu for a sum of %ld\n", std::string(events[i].pmu).c_str(),
                std::string(events[i].name).c_str(), value, sum);
  }
  return counted;
}

}  // namespace

int main(int argc, char** argv) {
  const auto machine = evname::Machine::live();
  if (!machine) return std::fprintf(stderr, "%s\n", machine.error().text().c_str()), failed;
  const Outcome outcome = count(*machine, argc > 1 ? argv[1] : "instructions:u");
  return outcome == failed && argc == 1 ? count(*machine, "page-faults:u") : outcome;
}
