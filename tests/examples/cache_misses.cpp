// Prints the functions of this program that miss the cache. Usage: cache_misses EVENT
#include <evname/evname.hpp>
#include <iostream>
#include <vector>

int failed(const evname::Error& error) {
  std::cerr << error.text() << '\n';
  return 1;
}

void work(std::vector<unsigned> numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i) ++numbers[i * 99'991 % numbers.size()];
}

int main(int argc, char** argv) {
  const auto machine = evname::Machine::live();
  if (!machine) return failed(machine.error());
  auto sampler = evname::Sampler::open(*machine, argc > 1 ? argv[1] : "cache-misses:u");
  if (!sampler) return failed(sampler.error());
  evname::SampleScope scope(*sampler);
  if (const auto done = scope.start(); !done) return failed(done.error());
  work(std::vector<unsigned>(1 << 24));
  if (const auto done = scope.stop(); !done) return failed(done.error());
  for (const evname::SampleScope::Function& one : scope.functions())
    std::cout << one.samples << ' ' << one.function << " (" << one.dso << ")\n";
}
