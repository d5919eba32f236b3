#pragma once
// Reads the fact files of architectures: pmus.csv, pmu-events.csv, former-scales.csv,
// event-descriptions.csv, counters.csv, slots.csv, generic-events.csv, names.csv, products.csv.

#include <span>
#include <string>
#include <vector>

#include "events/tables/cpu_facts.hpp"
#include "events/trees/tree.hpp"

namespace evname::compiler {

/// Returns the fact files that a directory has, as full paths.
std::vector<std::string> fact_files(const std::string& directory);

/// Returns the facts of the architectures' directories. Rows of later directories come first; rows
/// of the architecture "common", which apply to all, come last. Rows that can't be used are left
/// out and reported as errors; PMUs and models that the trees don't have, and rows without a
/// source, as warnings.
tables::FactArrays collect_facts(std::span<const trees::ArchDir> dirs,
                                 trees::Diagnostics& diagnostics);

}  // namespace evname::compiler
