#include "events/compiler/metric_circles.hpp"

#include <cstdint>

namespace evname::compiler {

// A chain may be as long as a file, so the path is not on the stack.
std::vector<MetricCircle> find_circles(std::span<const std::vector<std::size_t>> needs) {
  enum class State : std::uint8_t { unseen, open, done };
  struct Visit {
    std::size_t metric, next = 0;
  };
  std::vector<State> states(needs.size());
  std::vector<Visit> path;
  std::vector<MetricCircle> out;
  const auto enter = [&](std::size_t metric) {
    states[metric] = State::open;
    path.push_back({metric});
  };
  for (std::size_t first = 0; first < needs.size(); ++first) {
    if (states[first] == State::unseen) enter(first);
    while (!path.empty()) {
      const std::size_t metric = path.back().metric;
      if (path.back().next == needs[metric].size()) {
        states[metric] = State::done;
        path.pop_back();
        continue;
      }
      const std::size_t needed = needs[metric][path.back().next++];
      if (states[needed] == State::open) out.push_back({needed, metric});
      if (states[needed] == State::unseen) enter(needed);
    }
  }
  return out;
}

}  // namespace evname::compiler
