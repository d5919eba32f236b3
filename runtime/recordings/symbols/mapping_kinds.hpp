#pragma once
// Tells the kinds of mappings by their names, and of the processes that have them.

#include <cstdint>
#include <string_view>

#include "base/text.hpp"
#include "evname/symbols.hpp"

namespace evname::symbols {

/// Returns true for memory of JIT compilers, heap and stack, which no file has (is_anon_memory and
/// is_no_dso_memory of tools/perf/util/map.c), and if there is no name.
inline bool is_without_file(std::string_view name) {
  for (const std::string_view prefix :
       {"//anon", "/dev/zero", "/anon_hugepage", "[stack", "/SYSV", "[heap]"})
    if (name.starts_with(prefix)) return true;
  return name.empty();
}

/// Returns true for memory that a process named, where its JIT compiler may have put code: by
/// prctl, a memfd, or a removed file of /dev/shm. Compilers that map their code twice, to write it
/// and to run it, use the last two (.NET's is /memfd:doublemapper). Programs may run from such
/// files, too.
inline bool is_named_memory(std::string_view name) {
  if (name.starts_with("/dev/shm/")) return name.ends_with(" (deleted)");
  return name.starts_with("[anon:") || name.starts_with("[anon_shmem:") ||
         name.starts_with("/memfd:");
}

/// Returns true for memory whose functions the process made at run time.
inline bool is_of_run_time(const Mapping& mapping) {
  return is_without_file(mapping.file) ||
         (!mapping.jitdump.empty() && is_named_memory(mapping.file));
}

/// Returns true for the vdso, which kernels give to processes.
inline bool is_vdso(std::string_view name) {
  return name.starts_with("[vdso") || name == "linux-vdso.so.1";
}

/// Returns true for "jitted-PID-NUMBER.so", a function of a jitdump as `perf inject --jit` writes
/// it after the recording.
inline bool is_injected_code(std::string_view name) {
  name = last_part(name);
  return name.starts_with("jitted-") && name.ends_with(".so") &&
         name.substr(7).find_first_not_of("0123456789-") == name.size() - 10;
}

/// Returns true for the kernel itself, false for its modules.
inline bool is_kernel_image(std::string_view name) {
  return name.starts_with("[kernel.kallsyms]") || name.starts_with("[guest.kernel.kallsyms");
}

/// Returns true for a kernel's module: a path, or "[ext4]".
inline bool is_module(std::string_view name) {
  return !is_kernel_image(name) && (name.starts_with('[') || name.find(".ko") != name.npos);
}

/// Machines whose kernels also run 32-bit programs, by the numbers EM_* of elf.h.
struct MachinePair {
  std::uint16_t narrow, wide;
};
inline constexpr MachinePair kMachinePairs[] = {
    {3, 62}, {40, 183}, {20, 21}, {2, 43}, {18, 43}};  // x86, Arm, PowerPC, SPARC

/// Returns false for the machines with programs of 32 bits.
constexpr bool is_wide_machine(std::uint16_t machine) {
  for (const MachinePair& pair : kMachinePairs)
    if (machine == pair.narrow) return false;
  return true;
}

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

}  // namespace evname::symbols
