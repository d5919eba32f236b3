#pragma once
// Times of the kernel's clocks.

#include <cstdint>
#include <ctime>

namespace evname {
inline namespace base {

/// Returns a time in ns.
inline std::uint64_t ns_of(const timespec& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

/// Returns the time of a clock in ns; 0 if the kernel does not have it.
inline std::uint64_t clock_ns(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return ns_of(time);
}

/// Returns the ns since the machine started, with the time that it slept.
inline std::uint64_t uptime_ns() {
#ifdef CLOCK_BOOTTIME
  return clock_ns(CLOCK_BOOTTIME);
#else
  return clock_ns(CLOCK_MONOTONIC);
#endif
}

}  // namespace base
}  // namespace evname
