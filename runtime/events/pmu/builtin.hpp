#pragma once
// Describes PMUs without sysfs: of a CPU that is only named, or of the machine of a recording.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/pmu/pmu.hpp"
#include "events/tables/model_view.hpp"

namespace evname::pmu {

/// Returns the row of pmus.csv that describes a PMU.
tables::FactRow<tables::PmuFact> find_fact(const tables::FactQuery& query,
                                           tables::FactLayers facts = tables::built_in_facts());

/// Returns the PMU's name in event files by a row of units.csv; empty without a row.
std::string_view unit_of(const tables::FactQuery& query, tables::FactLayers facts);

/// Returns the PMU as its row describes it. Without a row it has only a name, and is uncore if the
/// name begins so.
Pmu describe(const tables::FactQuery& query, tables::FactLayers facts = tables::built_in_facts());

/// Returns the PMUs of a machine that isn't at hand: the core PMUs of the architecture (cpu_core
/// and cpu_atom if the model has them) and one PMU for each other unit that the events of the model
/// and of the models `more` name. Returns the core PMU alone if `model` is empty.
std::vector<Pmu> builtin_pmus(std::string_view arch, std::string_view cpuid,
                              const tables::ModelView& model,
                              tables::FactLayers facts = tables::built_in_facts(),
                              std::span<const tables::ModelView> more = {});

/// Returns the PMUs other than core PMUs that rows of pmus.csv name for the CPU, with their
/// drivers' events, except instances of `known`.
std::vector<Pmu> possible_pmus(tables::FactQuery cpu, std::vector<std::string> known,
                               tables::FactLayers facts);

/// The statements of a recording about its machine's PMUs (HEADER_PMU_MAPPINGS, …_CAPS,
/// HYBRID_TOPOLOGY).
struct RecordedPmus {
  std::vector<std::pair<std::uint32_t, std::string>> mappings;  ///< type, name
  struct Caps {
    std::string pmu;
    std::vector<std::pair<std::string, std::string>> values;
  };
  std::vector<Caps> caps;
  std::vector<std::pair<std::string, std::string>> hybrid;  ///< core PMU, its CPU list
};

/// Returns the PMUs of a recording: names and types are recorded, formats and the kind are from
/// pmus.csv. Without mappings it returns builtin_pmus().
std::vector<Pmu> recorded_pmus(const RecordedPmus& recorded, std::string_view arch,
                               std::string_view cpuid, const tables::ModelView& model,
                               tables::FactLayers facts = tables::built_in_facts(),
                               std::span<const tables::ModelView> more = {});

}  // namespace evname::pmu
