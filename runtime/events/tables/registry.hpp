#pragma once
// The architectures compiled into this build.

#include <span>
#include <string_view>

#include "events/tables/tables.hpp"

namespace evname::tables {

/// Returns the tables, sorted by name; they live as long as the program.
std::span<const ArchTables> architectures();

/// Returns nullptr if it is not built in.
const ArchTables* find_architecture(std::string_view arch);

/// The generated tables_index.cpp defines these: how many tables there are, and the views of each.
std::size_t generated_count();
ArchTables generated_tables(std::size_t index);

}  // namespace evname::tables
