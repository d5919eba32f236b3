#pragma once
// What is done, or made, when it is first asked for.

#include <atomic>
#include <memory>
#include <mutex>

namespace evname {
inline namespace base {

/// Does something once. Thread-safe; what is done costs one load. Unlike std::call_once, it calls
/// no function of C with the work inside: an exception that passes through one makes glibc load a
/// library, and end the process if there is no memory.
class Once {
 public:
  /// Calls `work` the first time. If that throws, the next call tries again.
  template <class Work>
  void run(Work&& work) const {
    if (is_done_.load(std::memory_order_acquire)) return;
    const std::lock_guard lock(mutex_);
    if (is_done_.load(std::memory_order_relaxed)) return;
    work();
    is_done_.store(true, std::memory_order_release);
  }

 private:
  mutable std::atomic<bool> is_done_ = false;
  mutable std::mutex mutex_;
};

/// Makes a value when it is first asked for. Thread-safe; a value that is there costs one load.
template <class T>
class Lazy {
 public:
  /// Returns the value, which `make` returns the first time. If that throws, the next call tries
  /// again.
  template <class Make>
  const T& get(Make&& make) const {
    once_.run([&] { made_ = std::unique_ptr<const T>(new T(make())); });
    return *made_;
  }

 private:
  Once once_;
  mutable std::unique_ptr<const T> made_;
};

}  // namespace base
}  // namespace evname
