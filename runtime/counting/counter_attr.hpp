#pragma once
// What an event asks of perf_event_open(2), and asking it.

#include <sys/types.h>

#include <array>
#include <cstdint>

#include "evname/counters.hpp"
#include "evname/encoding.hpp"

namespace evname::counting {

/// Headers older than Linux 6.3 have no config3, so the attr is built in a buffer that has.
using AttrBytes = std::array<unsigned char, 144>;

/// How one event is opened.
struct OpenRequest {
  bool leads = true;          ///< it leads its group: the others run whenever it does
  bool of_task = false;       ///< it counts a thread, not a CPU
  bool reads_itself = false;  ///< arm64 wants to be asked for counters that user space can read
};

AttrBytes attr_bytes(const Encoding& event, const CounterOptions& options,
                     const OpenRequest& request);

/// The file of a new counter; -1 and errno. `group` is the leader's file or -1.
int open_counter(const AttrBytes& attr, int thread, int cpu, int group, bool of_cgroup);

}  // namespace evname::counting
