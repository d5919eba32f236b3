#pragma once
// The fixed values of perf_event_attr.type. Source: enum perf_type_id of
// include/uapi/linux/perf_event.h; those from kTypeDrm on are perf's own (tools/perf/util/pmu.h).

#include <cstdint>

namespace evname {

/// Types with the same meaning on every machine. Other PMUs have larger numbers.
enum PerfType : std::uint32_t {
  kTypeHardware = 0,
  kTypeSoftware = 1,
  kTypeTracepoint = 2,
  kTypeHwCache = 3,
  kTypeRaw = 4,
  kTypeBreakpoint = 5,
  kTypeDrm = 0xfffe0000,       ///< perf reads it from procfs: the first "drm_*" PMU, of a GPU
  kTypeDrmEnd = 0xfffeffff,    ///< the last that perf gives to one
  kTypeHwmon = 0xffff0000,     ///< perf reads it from sysfs: the PMU of hwmon0, "hwmon_*"
  kTypeHwmonEnd = 0xfffffffd,  ///< the last that perf gives to one
  kTypeTool = 0xfffffffe,      ///< perf counts it itself: duration_time, num_cpus (its PMU "tool")
};

/// Returns true if codes of this type mean the same on every machine, which raw codes do not.
constexpr bool is_generic_type(std::uint32_t type) {
  return type <= kTypeBreakpoint && type != kTypeRaw;
}

}  // namespace evname
