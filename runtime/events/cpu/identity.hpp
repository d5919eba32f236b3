#pragma once
// Converts CPUID strings, which name the CPU of a machine, to perf's spelling for table lookup.

#include <string>
#include <string_view>

namespace evname::cpu {

/// A CPU as the tables know it.
struct Identity {
  std::string
      arch;  ///< directory of arch/: "x86", "arm64", "powerpc", "s390", "riscv", "loongarch"
  std::string cpuid;  ///< lookup form: "GenuineIntel-6-55-4", "0x00000000410fd0c0"; "" if unknown
};

/// Returns the tables' architecture of a `uname -m` value ("x86_64", "aarch64", "ppc64le", …);
/// unknown names are returned as they are.
std::string tables_arch(std::string_view machine);

/// Returns the architecture of a CPUID string of either spelling, by its form; "" if none fits.
std::string arch_of_cpuid(std::string_view cpuid);

/// Returns the lookup form of a HEADER_CPUID ("GenuineIntel,6,85,4", "78,4610", …) or lookup form.
/// A text of another form is returned as it is.
std::string lookup_cpuid(std::string_view arch, std::string_view cpuid);

}  // namespace evname::cpu
