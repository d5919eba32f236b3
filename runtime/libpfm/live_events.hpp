#pragma once
// Finds out which events of a libpfm4 table the machine has: by CPUID for Intel (ix86arch), by the
// counter sets of a mainframe (cpum_cf), and by sysfs for events of the kernel (perf).
// pfm4::live_sets() returns them.

namespace evname::libpfm {

/// Makes the next call of pfm4::live_sets() ask the machine again.
void forget_live_events();

/// The number of counters of the PMU of all Intel CPUs.
struct LiveCounters {
  int generic = 0, fixed = 0;
};
LiveCounters live_counters();

}  // namespace evname::libpfm
