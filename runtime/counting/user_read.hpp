#pragma once
// Reads counters without a system call, by the protocol of struct perf_event_mmap_page.

#include <array>
#include <cstdint>
#include <span>

#include "counting/counter_sets.hpp"

struct perf_event_mmap_page;  // of <linux/perf_event.h>

namespace evname::counting {

/// The counts of a group, whose counters run at the same times.
struct UserCounts {
  std::uint64_t enabled, running;
  std::array<std::uint64_t, 32> values;
};

/// Returns a counter's register, of which `width` bits count, as a number with a sign.
std::uint64_t sign_extended(std::uint64_t value, unsigned width);

/// Returns the time since the page was written, in ns, when the clock shows that many cycles.
std::uint64_t elapsed(const perf_event_mmap_page& page, std::uint64_t cycles,
                      std::uint64_t capabilities);

/// Returns true if the program is built for a CPU whose counters user space can read.
bool can_read_counters();

/// Reads the counters of a group, all of which must have pages, the leader first. Returns false if
/// the kernel does not allow it, an event has no counter at the moment, or there are too many. Must
/// be called by the thread that is counted: any other thread would read the counters of its own.
bool read_user(std::span<const OpenCounter> counters, UserCounts& out);

}  // namespace evname::counting
