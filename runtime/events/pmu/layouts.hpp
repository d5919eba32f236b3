#pragma once
// This build's own descriptions of PMUs: what sysfs would say where there is none to ask.

#include <cstdint>
#include <span>
#include <string_view>

namespace evname::pmu {

enum class Kind : std::uint8_t { core, uncore, other };

/// One row. Conditions hold alternatives separated by `|`; an empty condition always holds.
struct Layout {
  std::string_view pmu;     ///< name less its instance number, or a glob with `*`
  std::string_view arch;    ///< "x86"; empty: all
  std::string_view cpuid;   ///< globs on the CPUID string
  std::string_view models;  ///< model directories
  Kind kind;
  int type;                  ///< attr.type where the kernel fixes it, else -1
  std::string_view formats;  ///< "event=config:0-7 umask=config:8-15": files of format/
};

/// Rows in order of precedence: the first whose conditions all hold describes the PMU.
std::span<const Layout> core_layouts();    ///< core PMUs, and those of the kernel itself
std::span<const Layout> device_layouts();  ///< AMD, arm64 and s390 units, buses, trace units
std::span<const Layout> intel_uncore_layouts();

/// The row of a PMU; nullptr if none describes it.
const Layout* find_layout(std::string_view pmu, std::string_view arch, std::string_view cpuid,
                          std::string_view model);

}  // namespace evname::pmu
