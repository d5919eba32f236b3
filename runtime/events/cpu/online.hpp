#pragma once
// Finds the online CPUs.

#include <vector>

#include "evname/machine.hpp"

namespace evname::cpu {

/// Returns the numbers of the online CPUs, in ascending order: from devices/system/cpu/online of
/// sysfs or, if sysfs is not mounted (as in a bare chroot), from procfs' stat. Returns nothing if
/// neither has them. This machine's procfs is not used with another machine's sysfs.
std::vector<unsigned> online_numbers(const Roots& roots);

}  // namespace evname::cpu
