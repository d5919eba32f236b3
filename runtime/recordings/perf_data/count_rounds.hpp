#pragma once
// The readings of counters in a `perf stat record` file, as they were recorded.

#include <cstdint>
#include <functional>
#include <span>

#include "evname/recording.hpp"

namespace evname::perf_data {

/// What a counter had counted since the start.
struct CountReading {
  std::size_t event;  ///< index in Recording::events()
  int cpu, thread;    ///< their numbers; -1: any
  std::uint64_t value, enabled, running;
};

/// Passes on the readings of each round, by event, thread and CPU, and its time in ns.
using TakeRound = std::function<void(std::uint64_t ns, std::span<const CountReading> readings)>;
void read_count_rounds(const Recording& file, const TakeRound& take);

}  // namespace evname::perf_data
