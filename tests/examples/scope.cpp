// Counts events in a block of this program, less what the measurement itself costs.
// Usage: scope [EVENTS], as perf's -e takes them; by default "instructions:u", or "page-faults:u"
// if the machine has no core PMU.
#include <cstdio>
#include <evname/evname.hpp>
#include <string>
#include <vector>

namespace {

enum Outcome : int { counted = 0, failed = 1, refused = 77 };  // 77: skipped, for Meson

long work() {
  long sum = 0;
  for (const long number : std::vector<long>(1 << 20, 3)) sum += number;
  return sum;
}

evname::Result<long> measure(const evname::Counters& counters, evname::CountScope& scope) {
  if (auto done = counters.enable(); !done) return tl::unexpected(done.error());
  if (auto done = scope.measure_cost(); !done) return tl::unexpected(done.error());
  if (auto done = scope.start(); !done) return tl::unexpected(done.error());
  const long sum = work();
  if (auto done = scope.stop(); !done) return tl::unexpected(done.error());
  return sum;
}

Outcome count(const evname::Machine& machine, const std::string& events) {
  const auto counters = evname::Counters::open(machine, events);
  if (!counters) {
    std::fprintf(stderr, "%s\n", counters.error().text().c_str());
    return counters.error().code == evname::Errc::io ? refused : failed;
  }
  evname::CountScope scope(*counters);
  const auto sum = measure(*counters, scope);
  if (!sum) return std::fprintf(stderr, "%s\n", sum.error().text().c_str()), failed;
  for (std::size_t i = 0; i < counters->events().size(); ++i)
    std::printf("%s: %.0f for a sum of %ld\n", std::string(counters->events()[i].name).c_str(),
                scope.net(i).scaled, *sum);
  return counted;
}

}  // namespace

int main(int argc, char** argv) {
  const auto machine = evname::Machine::live();
  if (!machine) return std::fprintf(stderr, "%s\n", machine.error().text().c_str()), failed;
  const Outcome outcome = count(*machine, argc > 1 ? argv[1] : "instructions:u");
  return outcome == failed && argc == 1 ? count(*machine, "page-faults:u") : outcome;
}
