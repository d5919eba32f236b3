// Opens an event by perf_event_open(2), and counts it in this thread. Usage: open_event EVENT
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <evname/evname.hpp>
#include <iostream>

int failed(const evname::Error& error) {
  std::cerr << error.text() << '\n';
  return 1;
}

int main(int argc, char** argv) {
  const auto machine = evname::Machine::live();
  if (!machine) return failed(machine.error());
  const auto events = machine->resolve(argc > 1 ? argv[1] : "instructions:u");  // one for each PMU
  if (!events) return failed(events.error());
  perf_event_attr attr{};  // period, sample_type, … are yours
  if (const auto set = evname::fill_attr((*events)[0], attr); !set) return failed(set.error());
  const auto file = static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0));
  unsigned long long count = 0;
  if (file < 0 || read(file, &count, sizeof count) != sizeof count) return 1;
  std::cout << (*events)[0].pmu << ": " << count << '\n';
}
