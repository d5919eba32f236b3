#pragma once
// The architectures compiled into this build. Defined in the generated tables_index.cpp.

#include <cstddef>

#include "tables/tables.hpp"

namespace evname::tables {

std::size_t architecture_count();

/// Architectures are sorted by name. index < architecture_count().
ArchTables architecture(std::size_t index);

}  // namespace evname::tables
