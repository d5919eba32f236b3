#pragma once
// Machines whose kernels also run 32-bit programs, by the numbers EM_* of elf.h.

#include <cstdint>

namespace evname::elf {

struct MachinePair {
  std::uint16_t narrow, wide;
};
inline constexpr MachinePair kMachinePairs[] = {
    {3, 62}, {40, 183}, {20, 21}, {2, 43}, {18, 43}};  // x86, Arm, PowerPC, SPARC

/// Returns the same number for machines whose programs may run on one kernel.
constexpr std::uint16_t machine_family(std::uint16_t machine) {
  for (const MachinePair& pair : kMachinePairs)
    if (machine == pair.narrow) return pair.wide;
  return machine;
}

/// Returns true if the address of a vdso shows a 32-bit process under a 64-bit kernel. Kernels map
/// the vdso as high as they can.
constexpr bool is_of_narrow_process(std::uint64_t vdso, std::uint16_t machine) {
  for (const MachinePair& pair : kMachinePairs)
    if (machine == pair.wide) return vdso >> 32 == 0;
  return false;
}

}  // namespace evname::elf
