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

/// The names, for bring(), of the tables with libpfm4's names, and of those that Capstone decodes
/// instructions by.
constexpr std::string_view kPfm4Tables = "libpfm4", kCapstoneTables = "capstone";

/// Loads tables that may be outside of a WebAssembly module: an architecture's, or one of these.
/// Returns false if that is not possible now, which the host reports.
#ifdef __wasm__
bool bring(std::string_view name);
#else
constexpr bool bring(std::string_view) { return true; }
#endif

/// Defined in the generated tables_index.cpp: the number of tables, and the views of each.
std::size_t generated_count();
ArchTables generated_tables(std::size_t index);

}  // namespace evname::tables
