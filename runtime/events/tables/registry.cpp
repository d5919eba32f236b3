#include "events/tables/registry.hpp"

#include <vector>

#include "events/tables/cpu_facts.hpp"

namespace evname::tables {

// The views are made on first use. As constants they would contain addresses, which the dynamic
// loader would relocate at every start.
std::span<const ArchTables> architectures() {
  static const std::vector<ArchTables>* const kAll = [] {
    auto* all = new std::vector<ArchTables>;
    all->reserve(generated_count());
    for (std::size_t i = 0; i < generated_count(); ++i) all->push_back(generated_tables(i));
    return all;
  }();
  return *kAll;
}

const ArchTables* find_architecture(std::string_view arch) {
  for (const ArchTables& tables : architectures())
    if (tables.arch == arch) return &tables;
  return nullptr;
}

FactLayers built_in_facts() {
  static const CpuFacts kFacts = generated_facts();
  return {&kFacts, 1};
}

}  // namespace evname::tables
