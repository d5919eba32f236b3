#pragma once
// Work on several cores.

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace evname {
inline namespace base {

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

/// Calls produce(i) on `jobs` threads (this one among them) and consume(i) on this one, in order of
/// i, each after its produce.
template <class Produce, class Consume>
void produce_and_consume(std::size_t count, unsigned jobs, Produce&& produce, Consume&& consume) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::atomic<bool>> done(count);
  const auto produce_one = [&] {
    const std::size_t i = next.fetch_add(1);
    if (i >= count) return false;
    produce(i);
    done[i] = true;
    done[i].notify_one();
    return true;
  };
  std::vector<std::jthread> helpers;
  for (unsigned i = 1; i < jobs && i < count; ++i)
    helpers.emplace_back([&] {
      while (produce_one()) continue;
    });
  for (std::size_t i = 0; i < count; ++i) {
    while (!done[i])
      if (!produce_one()) done[i].wait(false);
    consume(i);
  }
}

}  // namespace base
}  // namespace evname
