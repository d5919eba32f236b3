#include <fmt/format.h>
#include <sys/utsname.h>

#include "base/small_file.hpp"
#include "cpu/identity.hpp"
#include "cpu/probes.hpp"

namespace evname::cpu {
namespace {

/// A core PMU whose name only one architecture gives; for trees without procfs or CPU registers.
std::string arch_of_pmus(const std::string& sysfs) {
  struct Row {
    const char *pmu, *arch;
  };
  constexpr Row kRows[] = {{"armv8_pmuv3_0", "arm64"},
                           {"armv8_pmuv3", "arm64"},
                           {"cpum_cf", "s390"},
                           {"cpu_core", "x86"},
                           {"cpu/format/umask", "x86"},
                           {"cpu/format/pmcxsel", "powerpc"},
                           {"cpu/format/firmware", "riscv"}};
  for (const Row& row : kRows) {
    const std::string path = fmt::format("{}/bus/event_source/devices/{}", sysfs, row.pmu);
    if (is_directory(path) || read_head(path)) return row.arch;
  }
  return {};
}

std::string own_arch() {
  utsname names{};
  return uname(&names) == 0 ? tables_arch(names.machine) : std::string();
}

}  // namespace

Result<Identity> live_identity(const Roots& roots) {
  if (!is_directory(roots.sysfs) && !is_directory(roots.procfs))
    return fail(Errc::not_found, "neither a sysfs nor a procfs tree is there", roots.sysfs);
  const auto read = [](const std::string& path, std::size_t limit) {
    return read_head(path, limit).value_or("");
  };
  // All of cpuinfo that is looked at belongs to the first CPU; feature lists make that a few KiB.
  const Tree tree{roots, read(roots.procfs + "/cpuinfo", 1 << 16),
                  read(roots.procfs + "/sysinfo", 1 << 16),
                  read(roots.procfs + "/service_levels", 1 << 16),
                  read(roots.sysfs + "/devices/system/cpu/online", 4096)};
  constexpr std::optional<Identity> (*kProbes[])(const Tree&) = {
      probe_arm64, probe_x86, probe_powerpc, probe_s390, probe_riscv, probe_loongarch};
  const std::string sysfs_arch = arch_of_pmus(roots.sysfs);
  for (const auto probe : kProbes) {
    auto identity = probe(tree);
    // procfs of this machine beside the sysfs of another: the PMUs are what names resolve against.
    if (identity && (sysfs_arch.empty() || sysfs_arch == identity->arch)) return *identity;
  }
  return Identity{sysfs_arch.empty() ? own_arch() : sysfs_arch, ""};
}

}  // namespace evname::cpu
