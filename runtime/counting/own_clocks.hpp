#pragma once
// The events that perf measures itself, without a kernel counter: duration_time, user_time and
// system_time.

#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>

#include "evname/counters.hpp"

namespace evname::counting {

enum class ClockKind : std::uint8_t { duration, user, system };

/// Returns the clock that an event name stands for.
std::optional<ClockKind> clock_of(std::string_view event);

/// Returns the time of a clock in ns, counted from some time in the past; nullopt: its thread has
/// ended, or its CPU is offline. `kind` is the target's. Allocates nothing.
std::optional<std::uint64_t> clock_now(ClockKind clock, CountTarget::Kind kind,
                                       Counters::Place place);

/// Returns the time in ns that a CPU has spent, by a file like /proc/stat; nullopt if it is not
/// there.
std::optional<std::uint64_t> time_of_cpu(const char* stat_file, ClockKind clock, int cpu);

/// A clock that is started and stopped. Several threads may use it at once.
class OwnClock {
 public:
  OwnClock(ClockKind clock, CountTarget::Kind kind, Counters::Place place)
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
  Counters::Place place_;
  mutable std::mutex mutex_;  ///< of what follows
  bool runs_ = false;
  std::uint64_t value_ = 0, wall_ = 0;  ///< so far; while it runs, less its start
  mutable std::uint64_t last_ = 0;      ///< the last time that is known
};

}  // namespace evname::counting
