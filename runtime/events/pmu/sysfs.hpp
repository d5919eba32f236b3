#pragma once
// Reads the PMUs of a sysfs tree: bus/event_source/devices/*, with the same files as perf
// (tools/perf/util/pmu.c, perf_pmu__lookup), and the sensors of class/hwmon.

#include <string>
#include <string_view>
#include <vector>

#include "events/pmu/pmu.hpp"
#include "evname/error.hpp"

namespace evname::pmu {

/// Returns all PMUs of a sysfs tree (`root` holds bus/event_source/devices; normally "/sys").
/// A PMU or file that can't be read is left out and reported in `warnings`. No PMU at all is an
/// error. Without a core PMU among them (most virtual machines) a placeholder is added, as perf
/// does: "cpu" of type 4 with origin builtin and no formats. On arm64 each PMU's cpuid is the MIDR
/// of its first readable CPU under the same root.
Result<std::vector<Pmu>> sysfs_pmus(const std::string& root, std::string_view arch,
                                    std::vector<std::string>* warnings);

}  // namespace evname::pmu
