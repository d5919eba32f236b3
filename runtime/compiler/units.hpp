#pragma once
#include <string>
#include <string_view>

namespace evname::gen {

/// The PMU that a "Unit" stands for: "" is "default_core" (whichever core PMU the machine has),
/// "iMC" is "uncore_imc". Same rows as jevents' unit_to_pmu.
std::string pmu_of_unit(std::string_view unit);

}  // namespace evname::gen
