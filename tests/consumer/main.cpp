// The smallest use of evname: one name, one code.
#include <cstdio>
#include <evname/machine.hpp>
#include <string>

int main() {
  const auto machine = evname::Machine::named("skylakex");
  if (!machine) return std::fprintf(stderr, "%s\n", machine.error().text().c_str()), 1;
  const auto events = machine->resolve("mem_load_retired.l3_miss");
  if (!events) return std::fprintf(stderr, "%s\n", events.error().text().c_str()), 1;
  const unsigned long long config = events->front().code.config[0];
  std::printf("%s: config %#llx\n", std::string(events->front().name).c_str(), config);
  return config == 0x20d1 ? 0 : 1;
}
