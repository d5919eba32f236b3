#pragma once
// Work on several cores.

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace evname {

/// How many threads are worth it; at least 1.
inline unsigned core_count() {
  const unsigned cores = std::thread::hardware_concurrency();
  return cores > 0 ? cores : 1;
}

/// Calls work(i) for each i below `count`, in any order, on `jobs` threads (this one among them).
template <class Work>
void parallel_for(std::size_t count, unsigned jobs, Work&& work) {
  std::atomic<std::size_t> next = 0;
  const auto run = [&] {
    for (std::size_t i; (i = next.fetch_add(1)) < count;) work(i);
  };
  std::vector<std::jthread> helpers;
  for (unsigned i = 1; i < jobs && i < count; ++i) helpers.emplace_back(run);
  run();
}

}  // namespace evname
