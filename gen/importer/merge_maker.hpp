#pragma once
// Lays the statements of a CPU's maker over the kernel's files.

#include "events/trees/tree.hpp"
#include "importer/facts.hpp"

namespace evname::importer {

/// Merges one model of a maker's tree. `rows` lead to it there; `facts` are its events by file.
///
/// It is merged into the kernel's model of the CPU, or becomes a new one. For each event the newest
/// statement of the maker counts: the maker's own, unless the kernel's mapfile names a later
/// version. Facts of only the kernel stay: fields that the maker's files lack, and the PMU of the
/// event.
void merge_maker(const trees::ModelDir& model, const std::vector<trees::MapfileRow>& rows,
                 const Topics& facts, ArchFacts& into, std::vector<Disagreement>& out);

}  // namespace evname::importer
