#pragma once
// Identifies the CPU of this process or of a file like /proc/cpuinfo. It allocates nothing and uses
// only the dictionary of libpfm4's names, since it runs whenever a program starts.

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
  /// Adds a CPU unless it is in the list or the list is full.
  void add(pfm4::CpuNumber cpu);

 private:
  static constexpr std::size_t kLimit = 8;
  pfm4::CpuNumber cpus_[kLimit];
  std::size_t count_ = 0;
};

/// Returns the CPUs of the machine.
Cpus own_cpus();

/// Returns the CPUs of a file like /proc/cpuinfo.
Cpus cpus_of_cpuinfo(const char* path);

}  // namespace evname::libpfm
