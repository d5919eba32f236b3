#pragma once
// A value that is made when it is first asked for.

#include <atomic>
#include <memory>
#include <mutex>

namespace evname {
inline namespace base {

/// Makes a value when it is first asked for. Thread-safe; a value that is there costs one load,
/// whereas std::call_once sets up its call first.
template <class T>
class Lazy {
 public:
  /// Returns the value, which `make` returns the first time. If that throws, the next call tries
  /// again.
  template <class Make>
  const T& get(Make&& make) const {
    if (const T* made = made_.load(std::memory_order_acquire)) return *made;
    std::call_once(once_, [&] {
      owned_ = std::unique_ptr<const T>(new T(make()));
      made_.store(owned_.get(), std::memory_order_release);
    });
    return *made_.load(std::memory_order_acquire);
  }

 private:
  mutable std::atomic<const T*> made_ = nullptr;
  mutable std::once_flag once_;
  mutable std::unique_ptr<const T> owned_;
};

}  // namespace base
}  // namespace evname
