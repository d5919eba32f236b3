// The top-down tree of many files of counts, by one machine: for each file the node to look at.
// Usage: topdown_fleet CPU < FILES, whose lines name files that `perf stat` or `evname stat` wrote.
#include <cmath>
#include <cstdio>
#include <evname/evname.hpp>
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace {

// Makes the inputs of evaluations once: the tree, the search for its events, memory for values.
class Fleet {
 public:
  Fleet(const evname::Machine& machine, evname::TopdownTree tree)
      : tree_(std::move(tree)),
        matcher_(machine, tree_.events()),
        values_(tree_.nodes().size()),
        flagged_(values_.size()) {}

  // Prints "FILE<tab>NODE<tab>VALUE" for each interval and place; a node is "-" if none is flagged.
  bool add(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const auto counts = evname::read_counts_text(text);
    if (!counts)
      return std::fprintf(stderr, "%s: %s\n", path.c_str(), counts.error().text().c_str()), false;
    for (const std::string& warning : counts->warnings)
      std::fprintf(stderr, "%s: %s\n", path.c_str(), warning.c_str());
    for (const evname::CountGroup& group : counts->groups) {
      const auto found = matcher_.match(group);
      tree_.evaluate(found, values_, flagged_);
      if (std::isnan(values_[0]))
        std::fprintf(stderr, "%s: %s\n", path.c_str(), why(found).c_str());
      const std::size_t next = tree_.next(values_, flagged_);
      if (next == evname::TopdownNode::kNone)
        std::printf("%s\t-\t\n", path.c_str());
      else
        std::printf("%s\t%s\t%.1f\n", path.c_str(), tree_.nodes()[next].name.c_str(),
                    values_[next]);
    }
    return true;
  }

 private:
  std::string why(std::span<const evname::EventCount> counts) const {
    const evname::MetricSet::Gap gap = tree_.explain(0, counts);
    const std::string what = gap.events.empty() ? gap.text : gap.events.front();
    return tree_.nodes()[0].name + " has no value: " + what;
  }

  evname::TopdownTree tree_;
  evname::CountMatcher matcher_;
  std::vector<double> values_;
  std::vector<std::uint8_t> flagged_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: topdown_fleet CPU < FILES\n"), 2;
  const auto machine = evname::Machine::named(argv[1]);
  if (!machine) return std::fprintf(stderr, "%s\n", machine.error().text().c_str()), 2;
  evname::MetricFacts facts(*machine);
  facts.set("#smt_on", 1);
  facts.set("#core_wide", 1);
  auto tree = evname::TopdownTree::of(*machine, facts);
  if (!tree) return std::fprintf(stderr, "%s\n", tree.error().text().c_str()), 2;
  Fleet fleet(*machine, std::move(*tree));
  bool all = true;
  for (std::string path; std::getline(std::cin, path);) all &= fleet.add(path);
  return all ? 0 : 1;
}
