// Counts what evaluating top-down trees allocates: nothing, once a thread has evaluated one. Each
// model that has a tree is tried, with counts of all its events; exits with 1 if one allocates.

#include "bench/allocations.hpp"

#include <cstdio>
#include <string>
#include <vector>

#include "evname/evname.hpp"

namespace evname {
namespace {

/// A group as read_counts_text() makes it of a file.
CountGroup group_of(const TopdownTree& tree, double first) {
  CountGroup group;
  for (const MetricEvent& event : tree.events())
    group.counts.push_back({{.value = ++first}, event.text, {}, {}});
  return group;
}

/// Returns the number of allocations of `times` evaluations, after a first one.
std::uint64_t allocations_of(const Machine& machine, const TopdownTree& tree, int times) {
  const std::vector<CountGroup> groups = {group_of(tree, 1e6), group_of(tree, 2e6)};
  CountMatcher matcher(machine, tree.events());
  std::vector<double> values(tree.nodes().size());
  std::vector<std::uint8_t> flagged(values.size());
  const auto evaluate = [&](const CountGroup& group) {
    tree.evaluate(matcher.match(group), values, flagged);
    (void)tree.next(values, flagged);
  };
  for (const CountGroup& group : groups) evaluate(group);
  const std::uint64_t before = bench::allocations();
  for (int i = 0; i < times; ++i) evaluate(groups[static_cast<std::size_t>(i) % 2]);
  return bench::allocations() - before;
}

}  // namespace
}  // namespace evname

int main() {
  int trees = 0, faults = 0;
  for (const evname::ModelInfo& model : evname::models()) {
    const auto machine = evname::Machine::named(model.name);
    if (!machine) continue;
    for (const std::string& pmu : evname::TopdownTree::pmus(*machine)) {
      evname::MetricFacts facts(*machine);
      for (const char* fact : {"#smt_on", "#core_wide"}) facts.set(fact, 1);
      const auto tree = evname::TopdownTree::of(*machine, facts, pmu);
      if (!tree) continue;
      ++trees;
      const auto found = evname::allocations_of(*machine, *tree, 100);
      if (found == 0) continue;
      ++faults;
      std::printf("%s %s: 100 evaluations allocate %llu times\n", machine->cpu().model.c_str(),
                  pmu.c_str(), static_cast<unsigned long long>(found));
    }
  }
  std::printf("%d trees, %d allocate\n", trees, faults);
  return trees > 0 && faults == 0 ? 0 : 1;
}
