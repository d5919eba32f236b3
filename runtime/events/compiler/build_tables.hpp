#pragma once
// Builds tables from event trees.

#include <span>
#include <string>
#include <vector>

#include "events/tables/arrays.hpp"
#include "events/tables/model_view.hpp"
#include "events/trees/diagnostics.hpp"
#include "events/trees/tree.hpp"

namespace evname::compiler {

/// Builds the tables of one architecture from the trees that have it, first to last. If several
/// define the same event of a model, or map the same CPU, the later tree wins. Entries may refer to
/// the standard events of the models `below`, nearest first; these also state the numbers of
/// counters. Unusable parts are left out and reported.
tables::TableArrays build_tables(std::span<const trees::ArchDir> trees,
                                 trees::Diagnostics& diagnostics,
                                 std::span<const tables::ModelView> below = {});

/// Lists the names of a tree's models and their mapfile rows without events, for choosing a model
/// before it is read.
tables::TableArrays list_models(const trees::ArchDir& tree, trees::Diagnostics& diagnostics);

/// Returns the architectures of several roots, grouped and sorted by name.
std::vector<std::vector<trees::ArchDir>> group_by_architecture(std::span<const std::string> roots,
                                                               trees::Diagnostics& diagnostics);

}  // namespace evname::compiler
