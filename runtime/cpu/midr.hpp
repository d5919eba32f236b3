#pragma once
// arm64: the CPUID string of a set of CPUs is the MIDR_EL1 register of the first readable one.

#include <string>
#include <string_view>

namespace evname::cpu {

/// The first 18 characters of devices/system/cpu/cpuN/regs/identification/midr_el1 under `sysfs`,
/// for the first CPU N of the list ("0-3,8") that has the file; "" if none does.
std::string first_midr(const std::string& sysfs, std::string_view cpus);

}  // namespace evname::cpu
