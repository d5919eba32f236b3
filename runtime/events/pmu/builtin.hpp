#pragma once
// PMUs as this build describes them, where there is no sysfs to ask.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "events/pmu/pmu.hpp"
#include "events/tables/model_view.hpp"

namespace evname::pmu {

/// The PMU of that name as this build describes it. Without a row: a PMU with only a name, uncore
/// if the name begins so.
Pmu describe(std::string name, std::string_view arch, std::string_view cpuid,
             std::string_view model);

/// PMUs of a machine that isn't at hand: the core PMUs of the architecture (cpu_core and cpu_atom
/// where the model has them) and one PMU for each other unit that the model's events name.
/// `model` may be empty (no table): then the core PMU alone. The units of the models `more` count
/// as well.
std::vector<Pmu> builtin_pmus(std::string_view arch, std::string_view cpuid,
                              const tables::ModelView& model,
                              std::span<const tables::ModelView> more = {});

}  // namespace evname::pmu
