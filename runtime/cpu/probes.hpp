#pragma once
// One probe an architecture: each knows its CPUs by the content of sysfs and procfs trees, so that
// a tree taken from another machine is told by what it holds, not by where it is read.

#include <optional>
#include <string>

#include "cpu/identity.hpp"

namespace evname::cpu {

/// What the probes look at, read once.
struct Tree {
  const Roots& roots;
  std::string cpuinfo;         ///< head of <procfs>/cpuinfo
  std::string sysinfo;         ///< <procfs>/sysinfo (s390)
  std::string service_levels;  ///< <procfs>/service_levels (s390)
  std::string online;          ///< <sysfs>/devices/system/cpu/online
};

/// The CPU of the tree if it is of the probe's architecture. The CPUID string may be empty.
std::optional<Identity> probe_arm64(const Tree& tree);
std::optional<Identity> probe_x86(const Tree& tree);
std::optional<Identity> probe_powerpc(const Tree& tree);
std::optional<Identity> probe_s390(const Tree& tree);
std::optional<Identity> probe_riscv(const Tree& tree);
std::optional<Identity> probe_loongarch(const Tree& tree);

}  // namespace evname::cpu
