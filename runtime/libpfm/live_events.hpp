#pragma once
// Events that a machine has of those that a table of libpfm4 lists: what CPUID says of every Intel
// CPU (ix86arch), the counter sets of a mainframe (cpum_cf), and events of the kernel that sysfs
// may have (perf). pfm4::live_sets() returns them.

namespace evname::libpfm {

/// Makes the next call of pfm4::live_sets() ask the machine again.
void forget_live_events();

/// How many counters the PMU of all CPUs of Intel has.
struct LiveCounters {
  int generic = 0, fixed = 0;
};
LiveCounters live_counters();

}  // namespace evname::libpfm
