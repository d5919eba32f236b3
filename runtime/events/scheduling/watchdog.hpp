#pragma once
// Finds out whether the NMI watchdog occupies a counter of the core PMU.

#include <optional>
#include <string>
#include <string_view>

#include "evname/machine.hpp"

namespace evname::scheduling {

/// Facts about a kernel whose watchdog is on (kernel.nmi_watchdog is 1).
struct WatchdogFacts {
  bool is_arm = false;       ///< arm64; else x86
  std::string config;        ///< the kernel's configuration; empty: it can't be read
  std::string command_line;  ///< of the kernel
};

/// Returns true if such a watchdog counts cycles; false if CPUs watch their neighbours ("buddy"),
/// or if arm64 has no non-maskable interrupt for it.
bool watchdog_counts(const WatchdogFacts& facts);

/// Returns true if something else occupies a counter of this machine that a thread may use;
/// nullopt: unknown.
std::optional<bool> is_counter_taken();

/// Returns true if the watchdog occupies a counter of the machine of these trees. Counters are
/// opened only if they are this machine's own.
bool watchdog_takes_counter(const Roots& roots);

}  // namespace evname::scheduling
