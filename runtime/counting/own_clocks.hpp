#pragma once
// The events that perf measures itself, without a kernel counter: duration_time, user_time and
// system_time.

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>

#include "evname/counters.hpp"

namespace evname::counting {

enum class ClockKind : std::uint8_t { duration, user, system };

/// Returns the clock that an event name stands for.
std::optional<ClockKind> clock_of(std::string_view event);

/// Returns the time of a clock in ns, counted from some time in the past. `kind` is the target's.
/// Allocates nothing.
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
