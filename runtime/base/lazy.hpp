#pragma once
// Does work, and makes values, on first use.

#include <atomic>
#include <memory>
#include <mutex>

namespace evname {
inline namespace base {

/// Does some work once. Thread-safe; once the work is done, a call costs one load. It is not
/// std::call_once, which runs the work inside a C function: if an exception passes through it,
/// glibc loads a library, and ends the process if there is no memory for that.
class Once {
 public:
  /// Calls `work` the first time. If that throws, the next call tries again.
  template <class Work>
  void run(Work&& work) {
    if (is_done_.load(std::memory_order_acquire)) return;
    const std::lock_guard lock(mutex_);
    if (is_done_.load(std::memory_order_relaxed)) return;
    work();
    is_done_.store(true, std::memory_order_release);
  }

 private:
  std::atomic<bool> is_done_ = false;
  std::mutex mutex_;
};

/// Makes a value on first use. Thread-safe; later uses cost one load.
template <class T>
class Lazy {
 public:
  /// Returns the value; the first call makes it by `make`. If that throws, the next call tries
  /// again.
  template <class Make>
  const T& get(Make&& make) const {
    once_.run([&] { made_ = std::unique_ptr<const T>(new T(make())); });
    return *made_;
  }

 private:
  mutable Once once_;
  mutable std::unique_ptr<const T> made_;
};

}  // namespace base
}  // namespace evname
