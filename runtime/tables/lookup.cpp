#include "tables/lookup.hpp"

#include "tables/registry.hpp"

namespace evname::tables {

std::optional<ArchTables> find_architecture(std::string_view arch) {
  for (std::size_t i = 0; i < architecture_count(); ++i)
    if (const ArchTables tables = architecture(i); tables.arch == arch) return tables;
  return std::nullopt;
}

}  // namespace evname::tables
