#pragma once
// Machines whose kernels run programs of 32 bits, too, by the numbers EM_* of elf.h.

#include <cstdint>

namespace evname::symbols {

struct MachinePair {
  std::uint16_t narrow, wide;
};
inline constexpr MachinePair kMachinePairs[] = {
    {3, 62}, {40, 183}, {20, 21}, {2, 43}, {18, 43}};  // x86, Arm, PowerPC, SPARC

/// Returns a number that two machines share if programs of both may run on one kernel.
constexpr std::uint16_t machine_family(std::uint16_t machine) {
  for (const MachinePair& pair : kMachinePairs)
    if (machine == pair.narrow) return pair.wide;
  return machine;
}

/// Returns true if an address in a process says that the process is of 32 bits, though its kernel
/// is not. Only of the vdso, which kernels map as high as they can.
constexpr bool is_of_narrow_process(std::uint64_t vdso, std::uint16_t machine) {
  for (const MachinePair& pair : kMachinePairs)
    if (machine == pair.wide) return vdso >> 32 == 0;
  return false;
}

}  // namespace evname::symbols
