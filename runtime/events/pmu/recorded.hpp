#pragma once
// PMUs of the machine that a perf.data was recorded on.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/pmu/pmu.hpp"
#include "events/tables/model_view.hpp"

namespace evname::pmu {

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
                               std::string_view cpuid, const tables::ModelView& model,
                               std::span<const tables::ModelView> more = {});

}  // namespace evname::pmu
