#pragma once
// The CPU of the machine at hand, or of the one that trees of sysfs and procfs were taken from.

#include <string>
#include <string_view>

#include "events/cpu/identity.hpp"
#include "evname/error.hpp"
#include "evname/machine.hpp"

namespace evname::cpu {

/// Returns the CPU of the machine, read through the given roots. The architecture is that of the
/// trees' content, so that trees taken from another machine work; if they say nothing, it is that
/// of uname(). The CPUID string is empty if the trees don't hold it. It is an error if neither tree
/// is there.
Result<Identity> live_identity(const Roots& roots);

/// Returns the CPUID string of a set of CPUs of arm64, which is the MIDR_EL1 register of the first
/// readable one: the first 18 characters of devices/system/cpu/cpuN/regs/identification/midr_el1
/// under `sysfs`, for the first CPU N of the list ("0-3,8") that has the file; "" if none does.
std::string first_midr(const std::string& sysfs, std::string_view cpus);

}  // namespace evname::cpu
