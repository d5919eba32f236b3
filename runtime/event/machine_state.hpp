#pragma once
// What a Machine holds. Built once, then only read.

#include <string>
#include <vector>

#include "cpu/match.hpp"
#include "evname/machine.hpp"
#include "pmu/pmu.hpp"
#include "pmu/sources.hpp"

namespace evname::detail {

/// A PMU and the tables that serve it.
struct BoundPmu {
  pmu::Pmu pmu;
  tables::ModelView model;                       ///< may be empty
  std::vector<const tables::PmuEvents*> tables;  ///< the model's event lists that serve this PMU
};

struct MachineState {
  CpuInfo cpu;
  cpu::ModelMatch match;
  std::vector<BoundPmu> pmus;  ///< perf's order: core first
  std::vector<std::string> warnings;
};

}  // namespace evname::detail

namespace evname {

/// A machine from what a recording says (see annotate/): HEADER_ARCH, HEADER_CPUID and PMU
/// features.
Machine recorded_machine(std::string_view header_arch, std::string_view header_cpuid,
                         const pmu::RecordedPmus& recorded);

}  // namespace evname
