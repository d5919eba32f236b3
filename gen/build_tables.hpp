#pragma once
// From event trees to tables.

#include <span>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "diagnostics.hpp"
#include "tree.hpp"

namespace evname::gen {

/// The tables of one architecture out of the trees that have it, first to last: where several
/// define the same event of a model, or map the same CPU, a later tree wins.
/// What can't be used is left out and reported.
TableArrays build_tables(std::span<const ArchDir> trees, Diagnostics& diagnostics);

/// The architectures of several roots, those of the same name together, sorted by name.
std::vector<std::vector<ArchDir>> group_by_architecture(std::span<const std::string> roots);

}  // namespace evname::gen
