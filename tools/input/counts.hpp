#pragma once
// Reads files of counts: the output of perf stat, and recordings of perf stat record.

#include <optional>
#include <string>

#include "evname/machine.hpp"
#include "evname/metric.hpp"

namespace evname::tools {

/// The counts of a file, and the machine and its facts if the file has them.
struct TakenCounts {
  Counts counts;
  std::optional<Machine> machine;
  std::optional<MetricFacts> facts;
};

/// Options for reading a file of counts.
struct CountsToTake {
  const std::string& path;       ///< "-": standard input
  const std::string& separator;  ///< of perf stat -x; "": detected
  CountsPer per;                 ///< the units to add the counts of a recording up for
  bool with_machine;             ///< whether the machine of a recording is wanted
};

/// Reads a file and prints its warnings. Returns nullopt after reporting why not.
std::optional<TakenCounts> take_counts(const CountsToTake& what);

}  // namespace evname::tools
