// Counts events while a function runs. Usage: count_function EVENTS
#include <evname/evname.hpp>
#include <iostream>
#include <vector>

int failed(const evname::Error& error) {
  std::cerr << error.text() << '\n';
  return 1;
}

int main(int argc, char** argv) {
  const auto machine = evname::Machine::live();
  if (!machine) return failed(machine.error());
  const auto counters = evname::Counters::open(*machine, argc > 1 ? argv[1] : "instructions:u");
  if (!counters) return failed(counters.error());
  evname::CountScope scope(*counters);
  if (const auto done = counters->enable(); !done) return failed(done.error());
  if (const auto done = scope.start(); !done) return failed(done.error());
  const std::vector<long> numbers(1 << 20, 3);  // your function
  if (const auto done = scope.stop(); !done) return failed(done.error());
  for (std::size_t i = 0; i < scope.counted().size(); ++i)
    std::cout << counters->events()[i].written() << ": " << scope.counted()[i].scaled << '\n';
}
