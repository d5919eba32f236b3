#pragma once
// From a row of layouts.hpp to a Pmu.

#include <string>
#include <string_view>

#include "pmu/pmu.hpp"

namespace evname::pmu {

/// The PMU of that name as this build describes it. Without a row: a PMU with only a name, uncore
/// if the name begins so.
Pmu describe(std::string name, std::string_view arch, std::string_view cpuid,
             std::string_view model);

}  // namespace evname::pmu
