#pragma once
// Finds the CPU of this machine, or of the machine that trees of sysfs and procfs came from,
// and its online CPUs.

#include <string>
#include <string_view>
#include <vector>

#include "events/cpu/identity.hpp"
#include "evname/error.hpp"
#include "evname/machine.hpp"

namespace evname::cpu {

/// Returns the CPU of the machine, read through the given roots. The content of the trees decides
/// the architecture, so that trees from another machine work; else uname() does. The CPUID string
/// is empty if the trees lack it. Returns an error if neither tree exists.
Result<Identity> live_identity(const Roots& roots);

/// Returns the CPUID string of a set of CPUs of arm64, which is the MIDR_EL1 register of the first
/// readable one: the first 18 characters of devices/system/cpu/cpuN/regs/identification/midr_el1
/// under `sysfs`, for the first CPU N of the list ("0-3,8") that has the file; "" if none does.
std::string first_midr(const std::string& sysfs, std::string_view cpus);

/// Returns the numbers of the online CPUs, in ascending order: from devices/system/cpu/online of
/// sysfs or, if sysfs is not mounted (as in a bare chroot), from procfs' stat. Returns nothing if
/// neither has them. This machine's procfs is not used with another machine's sysfs.
std::vector<unsigned> online_numbers(const Roots& roots);

}  // namespace evname::cpu
