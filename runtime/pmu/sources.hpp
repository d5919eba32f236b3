#pragma once
// Where PMUs come from: a sysfs tree, a recording, or this build's own descriptions.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evname/error.hpp"
#include "pmu/pmu.hpp"
#include "tables/model_view.hpp"

namespace evname::pmu {

/// All PMUs of a sysfs tree (`root` holds bus/event_source/devices; normally "/sys").
/// A PMU or file that can't be read is left out and told in `warnings`. No PMU at all is an error.
/// Without a core PMU among them (most virtual machines) a placeholder is added, as perf does:
/// "cpu" of type 4 with origin builtin and no formats. On arm64 each PMU's cpuid is the MIDR of its
/// first readable CPU under the same root.
Result<std::vector<Pmu>> sysfs_pmus(const std::string& root, std::string_view arch,
                                    std::vector<std::string>* warnings);

/// What a recording says of its machine's PMUs (HEADER_PMU_MAPPINGS, …_CAPS, HYBRID_TOPOLOGY).
struct RecordedPmus {
  std::vector<std::pair<std::uint32_t, std::string>> mappings;  ///< type, name
  struct Caps {
    std::string pmu;
    std::vector<std::pair<std::string, std::string>> values;
  };
  std::vector<Caps> caps;
  std::vector<std::pair<std::string, std::string>> hybrid;  ///< core PMU, its CPU list
};

/// PMUs of a recording: names and types as recorded, formats and core/uncore from built-in rows.
/// Without mappings: the built-in PMUs of that architecture and model.
std::vector<Pmu> recorded_pmus(const RecordedPmus& recorded, std::string_view arch,
                               std::string_view cpuid, const tables::ModelView& model);

/// PMUs of a machine that isn't at hand: the core PMUs of the architecture (cpu_core and cpu_atom
/// where the model has them) and one PMU for each other unit that the model's events name.
/// `model` may be empty (no table): then the core PMU alone.
std::vector<Pmu> builtin_pmus(std::string_view arch, std::string_view cpuid,
                              const tables::ModelView& model);

}  // namespace evname::pmu
