#pragma once
// Makes perf's own PMUs from files outside bus/event_source. perf reads their values itself; the
// kernel can't open them.

#include <string>
#include <vector>

#include "events/pmu/pmu.hpp"

namespace evname::pmu {

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
