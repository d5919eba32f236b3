#pragma once
// Instance numbers at the end of PMU names.

#include <string_view>

namespace evname::pmu {

/// "uncore_imc_10" -> "uncore_imc". Only `_` and digits count, or more than two hexadecimal digits,
/// so that s390's cpum_cf keeps its name (tools/perf/util/pmus.c, pmu_name_len_no_suffix).
std::string_view sort_stem(std::string_view name);

}  // namespace evname::pmu
