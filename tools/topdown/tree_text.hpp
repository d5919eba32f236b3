#pragma once
// A top-down tree as text, CSV and JSON.

#include <string>

#include "topdown/reading.hpp"

namespace evname::tools {

/// How the command that was counted, and is to be sampled, is written; "COMMAND" if it is unknown.
std::string sampled_command(const TopdownOptions& options);

/// An event that stands for a node, and how it is sampled.
struct SampleAdvice {
  std::string event;  ///< with modifiers: "mem_load_retired.l3_miss:pp"
  std::string perf;   ///< the same as perf takes it: "cpu/event=0xd1,umask=0x20/pp"
  std::string node;   ///< whose event it is: this one, or the nearest above that has one
};
/// The first event of a node, or of the nearest one above it, that the machine has; precise if it
/// can be.
std::optional<SampleAdvice> sample_advice(const Machine& machine, const TopdownTree& tree,
                                          std::size_t node);

/// The tree for people, with what to look at next.
std::string tree_text(const Machine& machine, const TreeReading& reading,
                      const TopdownOptions& options, bool with_advice);

/// What to look at next alone.
std::string tree_advice(const Machine& machine, const TreeReading& reading,
                        const TopdownOptions& options);

/// The names of the columns, and a line for each node.
std::string tree_csv_heading();
void add_tree_csv(const TreeReading& reading, std::string& out);

/// An object for each node.
void add_tree_json(const TreeReading& reading, std::string& out);

}  // namespace evname::tools
