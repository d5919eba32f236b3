#pragma once
// Events that no table has: the kernel puts them into events/ of a core PMU. Metrics need them on
// machines that have no sysfs to ask, too.

#include <string_view>
#include <vector>

#include "pmu/pmu.hpp"

namespace evname::pmu {

/// Those that this build knows of, sorted by name.
std::vector<SysfsEvent> kernel_events(std::string_view pmu, std::string_view model);

}  // namespace evname::pmu
