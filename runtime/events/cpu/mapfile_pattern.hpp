#pragma once
// Patterns of mapfiles, which are extended regular expressions, or MIDR numbers on Arm.

#include <string_view>

namespace evname::cpu {

/// Returns true if a mapfile pattern stands for this CPUID, by strcmp_cpuid_str of perf for the
/// architecture.
bool pattern_matches(std::string_view arch, std::string_view pattern, std::string_view cpuid);

}  // namespace evname::cpu
