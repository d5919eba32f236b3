#pragma once
// Laying what the maker of a CPU states over what the kernel's files have of it.

#include "events/trees/tree.hpp"
#include "importer/facts.hpp"

namespace evname::importer {

/// Merges one model of a maker's tree. `rows` lead to it there; `facts` are its events by file.
///
/// It goes to the model that the kernel has of the CPU, or becomes a new one. For each event the
/// newest statement of the maker counts: the maker's own, unless the kernel's mapfile names a later
/// version of it. What only the kernel knows stays: fields that are not in the maker's files, and
/// which of its PMUs has the event.
void merge_maker(const trees::ModelDir& model, const std::vector<trees::MapfileRow>& rows,
                 const Topics& facts, ArchFacts& into, std::vector<Disagreement>& out);

}  // namespace evname::importer
