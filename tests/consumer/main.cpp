// The smallest use of evname: one name, one code.
#include <cstdio>
#include <evname/evname.hpp>

int main() {
  const auto machine = evname::Machine::named("skylakex");
  const auto events = machine->resolve("mem_load_retired.l3_miss");
  if (!events) return std::fprintf(stderr, "%s\n", events.error().text().c_str()), 1;
  const evname::Encoding& event = events->front();
  std::printf("%s: config %#llx\n", std::string(event.name).c_str(),
              static_cast<unsigned long long>(event.code.config[0]));
  return event.code.config[0] == 0x20d1 ? 0 : 1;
}
