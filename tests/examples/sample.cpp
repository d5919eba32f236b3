// Prints the functions of this program that cause an event, while it runs. Usage: sample [EVENT],
// in the syntax of perf's -e: by default cache misses. Without a core PMU, as in many virtual
// machines, use cpu-clock.
#include <cstdio>
#include <evname/evname.hpp>
#include <numeric>
#include <vector>

namespace {

/// Follows a chain through memory, the next place being far away.
[[gnu::noinline]] std::size_t chase(const std::vector<std::size_t>& next, std::size_t steps) {
  std::size_t at = 0;
  while (steps-- > 0) at = next[at];
  return at;
}

int print_misses(evname::Sampler& sampler) {
  std::vector<std::size_t> next(std::size_t{1} << 23);
  std::iota(next.begin(), next.end(), std::size_t{0});
  for (std::size_t& place : next) place = (place * 1'664'525 + 1'013'904'223) % next.size();
  const evname::Symbols symbols;
  evname::SampleScope scope(sampler, symbols);
  if (auto done = scope.start(); !done) return std::puts(done.error().text().c_str()), 1;
  const std::size_t end = chase(next, next.size() / 8);
  if (auto done = scope.stop(); !done) return std::puts(done.error().text().c_str()), 1;
  std::printf("%s ends at place %zu\n", sampler.events()[0].full_name().c_str(), end);
  for (const evname::SampledFunction& one : scope.functions())
    std::printf("%8llu  %s (%s)\n", static_cast<unsigned long long>(one.samples),
                one.function.c_str(), one.dso.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto machine = evname::Machine::live();
  if (!machine) return std::fprintf(stderr, "%s\n", machine.error().text().c_str()), 1;
  auto sampler = evname::Sampler::open(*machine, argc > 1 ? argv[1] : "cache-misses:u");
  if (!sampler && argc == 1) sampler = evname::Sampler::open(*machine, "cpu-clock:u");
  if (sampler) return print_misses(*sampler);
  std::fprintf(stderr, "%s\n", sampler.error().text().c_str());
  return sampler.error().code == evname::Errc::io ? 77 : 1;  // 77: skipped, for Meson
}
