// The models that are built in, as users of the library see them.

#include "events/cpu/find_model.hpp"
#include "events/cpu/mapfile_pattern.hpp"
#include "events/tables/cpu_facts.hpp"
#include "events/tables/registry.hpp"
#include "evname/models.hpp"

namespace evname {
namespace {

/// Standard, system and common events belong to no CPU.
bool can_be_named(const tables::Model& model) { return (model.flags & tables::kOfNoCpu) == 0; }

std::size_t count_events(const tables::ModelView& model) {
  std::size_t count = 0;
  for (const tables::PmuEvents& list : model.pmus()) count += list.count;
  return count;
}

std::vector<std::string_view> names_of(tables::NameKind kind, std::string_view directory) {
  std::vector<std::string_view> names;
  for (const tables::CpuFacts& facts : tables::built_in_facts())
    for (const tables::CpuName& row : facts.names)
      if (row.kind == kind && facts.text(row.model) == directory)
        names.push_back(facts.text(row.name));
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
                     names_of(tables::NameKind::short_name, name),
                     names_of(tables::NameKind::code_name, name)});
    }
  return out;
}

std::vector<CpuPattern> cpu_patterns() {
  std::vector<CpuPattern> out;
  for (const tables::ArchTables& arch : tables::architectures()) {
    std::vector<std::size_t> places;  // in `out`, of the rows
    for (const tables::MapRow& row : arch.map_rows) {
      places.push_back(out.size());
      if (row.model < arch.models.size())
        out.push_back({arch.arch, arch.text(row.pattern), arch.text(arch.models[row.model].name),
                       arch.text(row.version)});
    }
    for (const tables::MapOverlap& overlap : arch.map_overlaps)
      if (arch.map_rows[overlap.first].model < arch.models.size() &&
          arch.map_rows[overlap.second].model < arch.models.size())
        out[places[overlap.first]].takes_from.push_back(places[overlap.second]);
  }
  return out;
}

bool cpuid_matches(std::string_view arch, std::string_view pattern, std::string_view cpuid) {
  return cpu::pattern_matches(arch, pattern, cpuid);
}

}  // namespace evname
