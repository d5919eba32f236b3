// The functions that most samples of an event are in, with their files.
// Usage: functions perf.data [EVENT], a glob as "cpu_cycles" or "mem_*"; without it all events.
#include <algorithm>
#include <cstdio>
#include <evname/evname.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

using Function = std::pair<std::string, std::string>;  // its name, and the file that has it

// The innermost frame of the instruction, with functions that the compiler inlined.
Function function_at(const evname::NamedLocation& location) {
  const std::string_view name = location.frames.front().function;
  return {name.empty() ? "[unknown]" : std::string(name), std::string(location.dso)};
}

evname::Result<std::map<Function, long>> count(const evname::PerfData& file,
                                               const evname::SampleFilter& filter) {
  const evname::Symbols symbols({.lines = false});
  evname::Locations locations(file, symbols);
  const auto selection = evname::Selection::make(filter, file, &locations);
  if (!selection) return tl::unexpected(selection.error());
  std::map<Function, long> counts;
  std::vector<evname::Address> stack;
  for (const evname::Sample& sample : file.samples())
    if (selection->accepts(sample) && locations.stack(sample, stack) && !stack.empty())
      ++counts[function_at(locations.at(sample, stack.front()))];
  return counts;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) return std::fprintf(stderr, "usage: functions perf.data [EVENT]\n"), 2;
  const auto counts = evname::PerfData::open(argv[1]).and_then([&](const evname::PerfData& file) {
    return count(file, {.event = argc > 2 ? argv[2] : ""});
  });
  if (!counts) return std::fprintf(stderr, "%s\n", counts.error().text().c_str()), 1;
  std::vector<std::pair<Function, long>> rows(counts->begin(), counts->end());
  std::ranges::stable_sort(rows, [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [function, samples] : rows)
    std::printf("%8ld  %s  %s\n", samples, function.first.c_str(), function.second.c_str());
  return 0;
}
