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

/// Returns the `width` low bits of a counter's register as a signed number.
std::uint64_t sign_extended(std::uint64_t value, unsigned width);

/// Returns the ns from the writing of the page to the given cycles of the clock.
std::uint64_t elapsed(const perf_event_mmap_page& page, std::uint64_t cycles,
                      std::uint64_t capabilities);

/// Returns true if the program is built for a CPU whose counters user space can read.
bool can_read_counters();

/// Reads the counters of a group, the leader first; all must have pages. Returns false if the
/// kernel does not allow it, an event has no counter at the moment, or there are too many. Only the
/// counted thread may call it: another thread would read its own counters.
bool read_user(std::span<const OpenCounter> counters, UserCounts& out);

}  // namespace evname::counting
