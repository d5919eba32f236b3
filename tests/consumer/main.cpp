// The smallest use of evname: one name, one code.
#include <cstdio>
#include <evname/evname.hpp>

int main() {
  const auto events = evname::Machine::named("skylakex")->resolve("mem_load_retired.l3_miss");
  if (!events) return std::fprintf(stderr, "%s\n", events.error().text().c_str()), 1;
  std::printf("%s: config %#llx\n", events->front().name.c_str(),
              static_cast<unsigned long long>(events->front().config));
  return events->front().config == 0x20d1 ? 0 : 1;
}
