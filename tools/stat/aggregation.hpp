#pragma once
// What counts are added up for: everything, CPUs, cores, …, threads.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evname/counters.hpp"

namespace evname::tools {

enum class Per { all, cpu, core, cluster, die, socket, node, thread };

/// How perf stat shows one of them.
struct PerShape {
  std::string_view json_key;  ///< "core"
  int width;                  ///< of its name, as text
  bool counts_counters;       ///< the number of counters follows
};
const PerShape& shape_of(Per per);

/// One of them, and the places that it has.
struct Part {
  std::string name;  ///< "S0-D0-C1", "CPU0", "bash-123"; "": everything
  std::vector<std::size_t> places;
};

/// The parts of these places, in the order of perf.
std::vector<Part> parts_of(Per per, std::span<const CountPlace> places,
                           std::span<const CpuPlace> cpus);

}  // namespace evname::tools
