// Resolves the name of an event, opens its counter and reads it: what one thread does in a loop.
// Usage: count [EVENT], "instructions:u" or, where no core PMU is at hand, "page-faults:u".
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <evname/evname.hpp>
#include <numeric>
#include <vector>

namespace {

// evname says which event it is; whom to count, and how, is the program's own affair.
perf_event_attr attr_of(const evname::Encoding& event) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = event.type.value_or(PERF_TYPE_RAW);
  attr.config = event.config;
  attr.config1 = event.config1;
  attr.config2 = event.config2;
  attr.exclude_user = event.bits.exclude_user;
  attr.exclude_kernel = event.bits.exclude_kernel;
  attr.exclude_hv = event.bits.exclude_hv;
  return attr;
}

long work() {
  const std::vector<long> numbers(1 << 20, 3);  // in pages that have to be made first
  return std::accumulate(numbers.begin(), numbers.end(), 0L);
}

enum Outcome : int { counted = 0, failed = 1, refused = 77 };  // 77: skipped, for Meson

// A name can stand for several events: one for each kind of core.
Outcome count(const evname::Machine& machine, const char* name) {
  const auto events = machine.resolve(name);
  if (!events) return std::fprintf(stderr, "%s\n", events.error().text().c_str()), failed;
  for (const evname::Encoding& event : *events) {
    perf_event_attr attr = attr_of(event);
    const auto file = static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0));
    if (file < 0) {
      const bool forbidden = errno == EACCES || errno == EPERM || errno == ENOSYS;
      return std::perror(name), forbidden ? refused : failed;
    }
    const long sum = work();
    unsigned long long value = 0;
    if (read(file, &value, sizeof value) != sizeof value) return failed;
    close(file);
    std::printf("%s %s: %llu for a sum of %ld\n", event.pmu.c_str(), event.name.c_str(), value,
                sum);
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
