#pragma once
// A top-down tree as text, CSV and JSON.

#include <string>

#include "topdown/reading.hpp"

namespace evname::tools {

/// The counted command, for sampling it; "COMMAND" if it is unknown.
std::string sampled_command(const TopdownOptions& options);

/// An event to sample for a node.
struct SampleAdvice {
  std::string event;  ///< with modifiers: "mem_load_retired.l3_miss:pp"
  std::string perf;   ///< the same in perf's syntax: "cpu/event=0xd1,umask=0x20/pp"
  std::string node;   ///< the node with the event: this one, or the nearest above that has one
};
/// The first event of a node, or of the nearest one above it, that the machine has; precise if
/// possible.
std::optional<SampleAdvice> sample_advice(const Machine& machine, const TopdownTree& tree,
                                          std::size_t node);

/// The tree as text, with the next nodes to look at.
std::string tree_text(const Machine& machine, const TreeReading& reading,
                      const TopdownOptions& options, bool with_advice);

/// Only the next nodes to look at.
std::string tree_advice(const Machine& machine, const TreeReading& reading,
                        const TopdownOptions& options);

/// The names of the columns, and a line for each node.
std::string tree_csv_heading();
void add_tree_csv(const TreeReading& reading, std::string& out);

/// An object for each node.
void add_tree_json(const TreeReading& reading, std::string& out);

}  // namespace evname::tools
