#pragma once
// Reads the PMUs of a sysfs tree: bus/event_source/devices/*, with the same files as perf
// (tools/perf/util/pmu.c, perf_pmu__lookup), and makes perf's own PMUs from files outside of it:
// sensors and GPUs, whose values perf reads itself.

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

/// Returns a PMU "hwmon_NAME" for each class/hwmon/hwmonN of a sysfs tree: temperatures, fans,
/// voltages. An event has the name of its file ("temp1") and, if the driver labels it, another
/// ("temp_tctl"). Its type is 0xffff0000 + N, its config the number and, from bit 16 on, the kind
/// of sensor (tools/perf/util/hwmon_pmu.c).
std::vector<Pmu> hwmon_pmus(const std::string& sysfs);

/// Returns a PMU "drm_DRIVER" for each driver of a GPU that a process has open, by
/// PROCFS/PID/fdinfo/*: types from 0xfffe0000 on in the order found, config the event's place in
/// the file (tools/perf/util/drm_pmu.c). Reads all open files of all processes.
std::vector<Pmu> drm_pmus(const std::string& procfs);

}  // namespace evname::pmu
