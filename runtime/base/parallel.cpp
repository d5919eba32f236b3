#include "base/parallel.hpp"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

namespace evname {
inline namespace base {

unsigned core_count() {
  const unsigned cores = std::thread::hardware_concurrency();
  return cores > 0 ? cores : 1;
}

std::vector<JoiningThread> start_threads(std::size_t count, const std::function<void()>& work) {
  std::vector<JoiningThread> threads;
  try {
    threads.reserve(count);
    while (threads.size() < count) threads.emplace_back(work);
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
  return threads;
}

void FirstException::keep() noexcept {
  if (!kept_.exchange(true)) exception_ = std::current_exception();
}

void FirstException::rethrow() {
  if (exception_) std::rethrow_exception(std::exchange(exception_, nullptr));
}

void parallel_for(std::size_t count, unsigned jobs, const std::function<void(std::size_t)>& work) {
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
    const auto helpers = start_threads(std::min<std::size_t>(jobs, count) - 1, std::ref(run));
    run();
  } else {
    run();
  }
  failure.rethrow();
}

void produce_and_consume(std::size_t count, unsigned jobs,
                         const std::function<void(std::size_t)>& produce,
                         const std::function<void(std::size_t)>& consume) {
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
  const auto produce_all = [&] {
    while (produce_one()) continue;
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
    const std::size_t more = count > 1 && jobs > 1 ? std::min<std::size_t>(jobs, count) - 1 : 0;
    const auto helpers = start_threads(more, std::ref(produce_all));
    run();
  }
  failure.rethrow();
}

}  // namespace base
}  // namespace evname
