#pragma once
// Reading a counter without a system call, by the protocol of struct perf_event_mmap_page.

#include <array>
#include <cstdint>
#include <span>

#include "counting/counter_sets.hpp"

namespace evname::counting {

/// Of a group, whose counters run at the same times.
struct UserCounts {
  std::uint64_t enabled, running;
  std::array<std::uint64_t, 32> values;
};

/// Whether this program is built for a CPU whose counters user space can read.
bool can_read_counters();

/// Counters that have pages, the leader of their group first. False: the kernel does not allow it,
/// an event has no counter now, or there are too many. Only for the thread that the counters belong
/// to, anything else would read the counters of somebody else.
bool read_user(std::span<const OpenCounter> counters, UserCounts& out);

}  // namespace evname::counting
