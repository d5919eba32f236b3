// The models that are built in, as users of the library see them.

#include "events/cpu/codenames.hpp"
#include "events/cpu/find_model.hpp"
#include "events/cpu/mapfile_pattern.hpp"
#include "events/tables/registry.hpp"
#include "evname/machine.hpp"

namespace evname {
namespace {

/// Standard, system and common events belong to no CPU.
bool can_be_named(const tables::Model& model) { return (model.flags & tables::kOfNoCpu) == 0; }

std::size_t count_events(const tables::ModelView& model) {
  std::size_t count = 0;
  for (const tables::PmuEvents& list : model.pmus()) count += list.count;
  return count;
}

std::vector<std::string_view> names_of(std::span<const cpu::NameRow> rows,
                                       std::string_view directory) {
  std::vector<std::string_view> names;
  for (const cpu::NameRow& row : rows)
    if (row.directory == directory) names.push_back(row.name);
  return names;
}

}  // namespace

std::vector<ModelInfo> models() {
  std::vector<ModelInfo> out;
  for (const tables::ArchTables& arch : tables::architectures())
    for (const tables::Model& model : arch.models) {
      if (!can_be_named(model)) continue;
      const std::string_view name = arch.text(model.name);
      out.push_back({arch.arch, name, count_events({arch, &model}),
                     names_of(cpu::short_name_rows(), name), names_of(cpu::codename_rows(), name)});
    }
  return out;
}

std::vector<CpuPattern> cpu_patterns() {
  std::vector<CpuPattern> out;
  for (const tables::ArchTables& arch : tables::architectures())
    for (const tables::MapRow& row : arch.map_rows)
      if (row.model < arch.models.size())
        out.push_back({arch.arch, arch.text(row.pattern), arch.text(arch.models[row.model].name),
                       arch.text(row.version)});
  return out;
}

bool cpuid_matches(std::string_view arch, std::string_view pattern, std::string_view cpuid) {
  return cpu::pattern_matches(arch, pattern, cpuid);
}

std::vector<std::string> example_cpuids(std::string_view arch, std::string_view pattern,
                                        std::size_t limit) {
  return cpu::example_cpuids(arch, pattern, limit);
}

}  // namespace evname
