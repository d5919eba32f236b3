#pragma once
// From a CPUID string, PMU caps or a name to one model of the tables.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "events/tables/cpu_facts.hpp"
#include "events/tables/model_view.hpp"
#include "evname/encoding.hpp"

namespace evname::cpu {

/// Returns the name in lower case, without `_`, `-` and spaces: names are compared so.
std::string bare_name(std::string_view name);

/// A model and how it was found. `model` is empty (matched_by none) if nothing fits.
struct ModelMatch {
  tables::ModelView model;
  MatchedBy matched_by = MatchedBy::none;
  std::string note;  ///< Says in a sentence that, and why, the answer is a fallback; else empty.
};

/// First mapfile row that matches; else the model that `pmu_name` means: the capability, or the
/// name of an Arm core PMU; may be empty; else the architecture's standard events; else none.
ModelMatch match_model(std::string_view arch, std::string_view cpuid, std::string_view pmu_name);

/// The same for tables that are not (or not only) those of the build; match_model above and
/// find_model and near_models below hand the registry's over.
ModelMatch match_model(const tables::ArchTables& arch, std::string_view cpuid,
                       std::string_view pmu_name,
                       tables::FactLayers facts = tables::built_in_facts());
tables::ModelView find_model(std::span<const tables::ArchTables> all, std::string_view name,
                             tables::FactLayers facts = tables::built_in_facts());
std::vector<std::string> near_models(std::span<const tables::ArchTables> all, std::string_view name,
                                     std::size_t count);

/// Whether the name of a PMU tells the CPU that it is of: "armv8_cortex_a72", not "armv8_pmuv3_0".
bool is_arm_cpu(std::string_view pmu);

/// A model by directory ("skylakex", "arm/neoverse-n1", "x86/skylakex"), its last part
/// ("neoverse-n1"), short name ("n1"), codename or core PMU ("armv8_cortex_a72"), any case, `_` and
/// `-` alike. Empty view if none.
tables::ModelView find_model(std::string_view name);

/// Names of models (directories, short names, codenames) close to `name`, nearest first, at most
/// `count`.
std::vector<std::string> near_models(std::string_view name, std::size_t count);

}  // namespace evname::cpu
