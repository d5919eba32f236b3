#pragma once
// Reading a counter without a system call, by the protocol of struct perf_event_mmap_page.

#include <linux/perf_event.h>

#include <cstdint>

namespace evname::counting {

struct UserCount {
  std::uint64_t value, enabled, running;
};

/// Whether this program is built for a CPU whose counters user space can read.
bool can_read_counters();

/// False: the kernel does not allow it, or the event has no counter now. Only for the thread that
/// the counter belongs to, anything else would read the counter of somebody else.
bool read_user(const perf_event_mmap_page& page, UserCount& out);

}  // namespace evname::counting
