// Computes a metric from counts, or prints the events to count. Usage: metric CPU NAME COUNT…
#include <cstdlib>
#include <evname/evname.hpp>
#include <iostream>
#include <vector>

int failed(const std::string& why) {
  std::cerr << why << '\n';
  return 1;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const auto machine = evname::Machine::named(argv[1]);
  if (!machine) return failed(machine.error().text());
  evname::MetricSet set(*machine, evname::MetricFacts(*machine));
  if (const auto added = set.add(argv[2]); !added) return failed(added.error().text());
  for (const auto& event : set.events()) std::cout << (argc == 3 ? event.text + '\n' : "");
  std::vector<evname::EventCount> counts;  // in the order of the events
  for (int i = 3; i < argc; ++i) counts.push_back({.value = std::atof(argv[i])});
  const evname::MetricSet::Value value = set.evaluate(counts)[0];
  if (argc > 3 && !value.has_value()) return failed(set.explain(0, counts).text);
  if (value.has_value()) std::cout << argv[2] << ": " << value.value << '\n';
}
