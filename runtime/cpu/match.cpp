#include "cpu/match.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cpu/codenames.hpp"
#include "tables/registry.hpp"

namespace evname::cpu {
namespace {

tables::ModelView first_row(const tables::ArchTables& arch, std::string_view cpuid) {
  if (cpuid.empty()) return {};
  for (const tables::MapRow& row : arch.map_rows)
    if (pattern_matches(arch.arch, arch.text(row.pattern), cpuid))
      return row.model < arch.models.size() ? tables::ModelView{arch, &arch.models[row.model]}
                                            : tables::ModelView{};
  return {};
}

/// The model whose directory has the capability's name, `_` and case aside.
tables::ModelView model_of_capability(const tables::ArchTables& arch, std::string_view pmu_name) {
  if (pmu_name.empty()) return {};
  const std::string_view directory = directory_of_capability(pmu_name);
  const std::string wanted = bare_name(directory.empty() ? pmu_name : directory);
  for (const tables::Model& model : arch.models) {
    if (model.flags & (tables::kSystem | tables::kStandard)) continue;
    if (bare_name(arch.text(model.name)) == wanted) return {arch, &model};
  }
  return {};
}

tables::ModelView standard_events(const tables::ArchTables& arch) {
  for (const tables::Model& model : arch.models) {
    const auto pmus = arch.pmus.subspan(model.first_pmu, model.pmu_count);
    const bool has_events =
        std::any_of(pmus.begin(), pmus.end(), [](const auto& pmu) { return pmu.count > 0; });
    if ((model.flags & tables::kStandard) && has_events) return {arch, &model};
  }
  return {};
}

std::string no_table(std::string_view cpuid) {
  return cpuid.empty() ? std::string("the CPU is not known")
                       : fmt::format("no event table matches CPUID {}", cpuid);
}

}  // namespace

ModelMatch match_model(const tables::ArchTables& arch, std::string_view cpuid,
                       std::string_view pmu_name) {
  if (const auto model = first_row(arch, cpuid)) return {model, MatchedBy::cpuid, {}};
  if (const auto model = model_of_capability(arch, pmu_name))
    return {model, MatchedBy::caps,
            fmt::format("{}; using the events of {}, which the PMU capability pmu_name={} means",
                        no_table(cpuid), model.name(), pmu_name)};
  if (const auto model = standard_events(arch))
    return {model, MatchedBy::architecture,
            fmt::format("{}; using the standard events of {}", no_table(cpuid), arch.arch)};
  return {{}, MatchedBy::none, no_table(cpuid)};
}

ModelMatch match_model(std::string_view arch, std::string_view cpuid, std::string_view pmu_name) {
  const tables::ArchTables* tables = tables::find_architecture(arch);
  if (tables) return match_model(*tables, cpuid, pmu_name);
  return {{},
          MatchedBy::none,
          arch.empty() ? std::string("the architecture is not known")
                       : fmt::format("this build has no event tables of {}", arch)};
}

}  // namespace evname::cpu
