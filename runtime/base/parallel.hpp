#pragma once
// Work on several cores.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace evname {
inline namespace base {

/// How many threads are worth it; at least 1.
inline unsigned core_count() {
  const unsigned cores = std::thread::hardware_concurrency();
  return cores > 0 ? cores : 1;
}

/// Starts up to `count` threads that call `work`: fewer, or none, where the system refuses more (a
/// limit of processes or of memory). They are joined when they are destroyed.
template <class Work>
std::vector<std::jthread> start_threads(std::size_t count, const Work& work) {
  std::vector<std::jthread> threads;
  try {
    threads.reserve(count);
    while (threads.size() < count) threads.emplace_back(work);
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
  return threads;
}

/// The first exception of several threads, for the one that waits for them: what leaves a thread's
/// function ends the program.
class FirstException {
 public:
  /// To be called in a catch clause.
  void keep() noexcept {
    if (!kept_.exchange(true)) exception_ = std::current_exception();
  }
  bool kept() const { return kept_; }
  /// Throws it, if there is one. Only after those that may call keep() have been joined.
  void rethrow() {
    if (exception_) std::rethrow_exception(std::exchange(exception_, nullptr));
  }

 private:
  std::atomic<bool> kept_ = false;
  std::exception_ptr exception_;
};

/// Calls work(i) for each i below `count`, in any order, on `jobs` threads (this one among them).
/// Throws the first exception that a call threw, and then not all calls were made.
template <class Work>
void parallel_for(std::size_t count, unsigned jobs, Work&& work) {
  std::atomic<std::size_t> next = 0;
  FirstException failure;
  const auto run = [&] {
    try {
      for (std::size_t i; !failure.kept() && (i = next.fetch_add(1)) < count;) work(i);
    } catch (...) {
      failure.keep();
    }
  };
  if (count > 1 && jobs > 1) {
    const auto helpers = start_threads(std::min<std::size_t>(jobs, count) - 1, run);
    run();
  } else {
    run();
  }
  failure.rethrow();
}

/// Calls produce(i) on `jobs` threads (this one among them) and consume(i) on this one, in order of
/// i, each after its produce. Throws what a call throws.
template <class Produce, class Consume>
void produce_and_consume(std::size_t count, unsigned jobs, Produce&& produce, Consume&& consume) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::atomic<bool>> done(count);
  FirstException failure;
  const auto produce_one = [&] {
    const std::size_t i = next.fetch_add(1);
    if (i >= count) return false;
    try {
      if (!failure.kept()) produce(i);
    } catch (...) {
      failure.keep();
    }
    done[i] = true;
    done[i].notify_one();
    return true;
  };
  const auto run = [&] {
    try {
      for (std::size_t i = 0; i < count; ++i) {
        while (!done[i])
          if (!produce_one()) done[i].wait(false);
        if (failure.kept()) return;
        consume(i);
      }
    } catch (...) {
      failure.keep();
    }
  };
  {
    const auto helpers =
        start_threads(count > 1 && jobs > 1 ? std::min<std::size_t>(jobs, count) - 1 : 0, [&] {
          while (produce_one()) continue;
        });
    run();
  }
  failure.rethrow();
}

}  // namespace base
}  // namespace evname
