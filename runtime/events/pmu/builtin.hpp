#pragma once
// PMUs as this build describes them, where there is no sysfs to ask.

#include <string>
#include <string_view>
#include <vector>

#include "events/pmu/pmu.hpp"
#include "events/tables/model_view.hpp"

namespace evname::pmu {

/// Returns the row of pmus.csv that describes a PMU.
tables::FactRow<tables::PmuFact> find_fact(const tables::FactQuery& query);

/// Returns the PMU as its row describes it. Without a row it has only a name, and is uncore if the
/// name begins so.
Pmu describe(const tables::FactQuery& query);

/// Returns the PMUs of a machine that isn't at hand: the core PMUs of the architecture (cpu_core
/// and cpu_atom where the model has them) and one PMU for each other unit that the model's events
/// name. `model` may be empty (no table): then the core PMU alone.
std::vector<Pmu> builtin_pmus(std::string_view arch, std::string_view cpuid,
                              const tables::ModelView& model);

}  // namespace evname::pmu
