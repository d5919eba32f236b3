#pragma once
// What perf measures itself rather than the kernel's counters: duration_time, user_time,
// system_time.

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>

#include "evname/counters.hpp"

namespace evname::counting {

enum class ClockKind : std::uint8_t { duration, user, system };

/// By the event's name.
std::optional<ClockKind> clock_of(std::string_view event);

/// ns since some time in the past; nothing is allocated. `kind` of the target says whose time it
/// is.
std::uint64_t clock_now(ClockKind clock, CountTarget::Kind kind, CountPlace place);

/// A clock that is started and stopped. Several threads may use it at once.
class OwnClock {
 public:
  OwnClock(ClockKind clock, CountTarget::Kind kind, CountPlace place)
      : clock_(clock), kind_(kind), place_(place) {}

  void start();
  void stop();
  CounterValue read() const;

 private:
  struct Times {
    std::uint64_t value, wall;
  };
  Times now() const;

  ClockKind clock_;
  CountTarget::Kind kind_;
  CountPlace place_;
  std::atomic<bool> runs_ = false;
  std::atomic<std::uint64_t> value_ = 0, wall_ = 0;  ///< so far; while it runs, less its start
};

}  // namespace evname::counting
