#pragma once
// Reading event trees as facts.

#include <cstddef>
#include <map>
#include <string>

#include "events/trees/diagnostics.hpp"
#include "events/trees/tree.hpp"
#include "importer/facts_tree.hpp"

namespace evname::importer {

/// What was left out, and how often: reason -> count.
using Dropped = std::map<std::string, std::size_t>;

/// The events of one file of a model; of the architecture's standard events if `model` is nullptr.
/// Events, references to the standard events that are in `standard`, and rows that only count
/// counters; no metrics.
std::vector<Facts> read_topic_facts(const std::string& path, const trees::ModelDir* model,
                                    const Topics& standard, Dropped& dropped,
                                    trees::Diagnostics& diagnostics);

/// All of an architecture; `source` is where models are from that do not say so themselves.
ArchFacts read_arch_facts(const trees::ArchDir& arch, const std::string& source, Dropped& dropped,
                          trees::Diagnostics& diagnostics);

/// "Linux 7.3" for a tree inside of a kernel's source, by its Makefile, or of a directory called so
/// ("linux-7.3", "linux-source-6.12"); "" if neither has it.
std::string kernel_source(const std::string& root);

}  // namespace evname::importer
