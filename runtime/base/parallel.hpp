#pragma once
// Work on several cores.

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace evname {
inline namespace base {

/// Returns the number of useful threads; at least 1.
unsigned core_count();

/// A thread whose destructor joins it. Older versions of LLVM's C++ library lack std::jthread.
class JoiningThread {
 public:
  explicit JoiningThread(const std::function<void()>& work) : thread_(work) {}
  JoiningThread(JoiningThread&&) = default;
  JoiningThread& operator=(JoiningThread&&) = delete;
  ~JoiningThread() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::thread thread_;
};

/// Starts up to `count` threads that call a copy of `work` each: fewer, or none, where the system
/// refuses more (a limit of processes or of memory).
std::vector<JoiningThread> start_threads(std::size_t count, const std::function<void()>& work);

/// The first exception of several threads, for the thread that waits for them. An exception that
/// leaves a thread's function ends the program.
class FirstException {
 public:
  /// Keeps the exception of the catch clause that calls it.
  void keep() noexcept;
  bool kept() const { return kept_; }
  /// Throws the exception, if there is one. Join the threads that may call keep() first.
  void rethrow();

 private:
  std::atomic<bool> kept_ = false;
  std::exception_ptr exception_;
};

/// Calls work(i) for each i below `count`, in any order, on `jobs` threads (this one among them).
/// Throws the first exception that a call threw, and then not all calls were made.
void parallel_for(std::size_t count, unsigned jobs, const std::function<void(std::size_t)>& work);

/// Calls produce(i) on `jobs` threads (this one among them) and consume(i) on this one, in order of
/// i, each after its produce. Throws what a call throws.
void produce_and_consume(std::size_t count, unsigned jobs,
                         const std::function<void(std::size_t)>& produce,
                         const std::function<void(std::size_t)>& consume);

}  // namespace base
}  // namespace evname
