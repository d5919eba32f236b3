#pragma once
// Checks tables that were read from a file, so that their readers stay inside the arrays.

#include "events/tables/tables.hpp"

namespace evname::tables {

/// Returns true if every offset, index and run is inside its array, every enumerator is defined,
/// each model's hash has a free slot, and each program leaves one number. Their meaning is not
/// checked: events may have any code.
bool are_sound(const ArchTables& tables);

}  // namespace evname::tables
