#pragma once
// What perf fills in before it packs the terms of an event (perf_pmu__arch_init of
// tools/perf/arch).

#include <cstdint>

#include "events/pmu/pmu.hpp"

namespace evname::packing {

/// PMUs that perf fills in defaults for: there alone a value replaces what its field holds
/// (pmu_config_term's `zero`).
bool has_defaults(const pmu::Pmu& pmu);

/// The `config` that terms change: 0 but for Intel PT, which perf records with time stamps and with
/// packets as often as its caps allow, up to a limit (intel_pt_default_config).
std::uint64_t default_config(const pmu::Pmu& pmu);

/// The sample period of events that give none (0: none either), as perf has it before it reads
/// their terms: that of Arm's sampling extension is the shortest that the CPU can keep up with
/// (arm_spe_pmu__sample_period), CoreSight's is 1 (cs_etm_get_default_config).
std::uint64_t default_period(const pmu::Pmu& pmu);

}  // namespace evname::packing
