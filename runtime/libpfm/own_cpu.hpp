#pragma once
// The CPU that a process runs on, or the one of a file like /proc/cpuinfo. It takes no memory and
// no more of evname than libpfm4's names, since programs pay for it whenever they start.

#include <cstddef>
#include <cstdint>
#include <span>

#include "events/pfm4/dictionary.hpp"

namespace evname::libpfm {

/// The kinds of cores of a machine.
class Cpus {
 public:
  std::uint8_t arch = 0;  ///< pfm4::ArchBit; 0: not known

  std::span<const pfm4::CpuNumber> all() const { return {cpus_, count_}; }
  /// Adds one that is not there yet; those beyond the limit are dropped.
  void add(pfm4::CpuNumber cpu);

 private:
  static constexpr std::size_t kLimit = 8;
  pfm4::CpuNumber cpus_[kLimit];
  std::size_t count_ = 0;
};

/// Returns the CPUs of the machine.
Cpus own_cpus();

/// Returns those of a file like /proc/cpuinfo.
Cpus cpus_of_cpuinfo(const char* path);

}  // namespace evname::libpfm
