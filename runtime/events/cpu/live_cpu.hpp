#pragma once
// Which CPU the machine at hand has, or the one that trees of sysfs and procfs were taken from.

#include <string>
#include <string_view>

#include "events/cpu/identity.hpp"
#include "evname/error.hpp"
#include "evname/machine.hpp"

namespace evname::cpu {

/// The live machine, read through the given roots. The architecture is told by the content of the
/// trees, so that trees taken from another machine work; only where they say nothing it is that of
/// uname(). The CPUID string is empty where the trees don't hold it. Error: neither tree is there.
Result<Identity> live_identity(const Roots& roots);

/// arm64: the CPUID string of a set of CPUs is the MIDR_EL1 register of the first readable one. The
/// first 18 characters of devices/system/cpu/cpuN/regs/identification/midr_el1 under `sysfs`, for
/// the first CPU N of the list ("0-3,8") that has the file; "" if none does.
std::string first_midr(const std::string& sysfs, std::string_view cpus);

}  // namespace evname::cpu
