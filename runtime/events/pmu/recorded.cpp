#include "events/pmu/recorded.hpp"

#include <algorithm>

#include "events/pmu/builtin.hpp"

namespace evname::pmu {
namespace {

Pmu* find_pmu(std::vector<Pmu>& pmus, std::string_view name) {
  const auto at =
      std::find_if(pmus.begin(), pmus.end(), [&](const Pmu& pmu) { return pmu.name == name; });
  return at == pmus.end() ? nullptr : &*at;
}

/// HEADER_CPU_PMU_CAPS of kernels without hybrid PMUs names no PMU: it speaks of the core PMU.
Pmu* find_caps_pmu(std::vector<Pmu>& pmus, std::string_view name) {
  if (Pmu* pmu = find_pmu(pmus, name)) return pmu;
  if (!name.empty() && name != "cpu") return nullptr;
  const auto at =
      std::find_if(pmus.begin(), pmus.end(), [](const Pmu& pmu) { return pmu.is_core; });
  return at == pmus.end() ? nullptr : &*at;
}

}  // namespace

std::vector<Pmu> recorded_pmus(const RecordedPmus& recorded, std::string_view arch,
                               std::string_view cpuid, const tables::ModelView& model) {
  std::vector<Pmu> pmus;
  if (recorded.mappings.empty()) {
    pmus = builtin_pmus(arch, cpuid, model);
  } else {
    tables::FactQuery query{arch, {}, cpuid.empty() ? model.example_cpuid() : cpuid, {}};
    if (model) query.model = model.name();
    const std::size_t count = std::min(recorded.mappings.size(), kMostPmus);
    for (std::size_t i = 0; i < count; ++i) {
      const auto& [type, name] = recorded.mappings[i];
      query.pmu = name;
      Pmu pmu = describe(query);
      pmu.origin = Origin::recorded;
      pmu.type = type;
      pmus.push_back(std::move(pmu));
    }
  }
  for (const auto& [name, cpus] : recorded.hybrid) {
    Pmu* pmu = find_pmu(pmus, name);
    if (pmu == nullptr) continue;
    pmu->cpus = cpus;
    pmu->is_core = true;  // HEADER_HYBRID_TOPOLOGY lists nothing else
  }
  for (const RecordedPmus::Caps& caps : recorded.caps)
    if (Pmu* pmu = find_caps_pmu(pmus, caps.pmu))
      for (const auto& [name, value] : caps.values) pmu->set_cap(name, value);
  sort_pmus(pmus);
  return pmus;
}

}  // namespace evname::pmu
