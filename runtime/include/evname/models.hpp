#pragma once
// The models (directories of event tables) of this build, and the CPUs that they are for. What is
// returned by view lives as long as the program. Thread-safe.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "evname/export.h"

namespace evname {

/// A model that a machine can be named by.
struct ModelInfo {
  std::string_view arch;   ///< "x86", "arm64", …
  std::string_view name;   ///< "skylakex", "arm/neoverse-n1": what Machine::named() takes
  std::size_t events = 0;  ///< how many it has, on all its PMUs
};

/// All of them, by architecture, then name.
EVNAME_API std::vector<ModelInfo> models();

/// A row of a mapfile: CPUs whose CPUID string the pattern matches have this model.
struct CpuPattern {
  std::string_view arch;     ///< "x86"
  std::string_view pattern;  ///< "GenuineIntel-6-55-[01234]"
  std::string_view model;    ///< ModelInfo::name
};

/// All rows, by architecture, and in the order of its mapfile: the first that matches counts.
EVNAME_API std::vector<CpuPattern> cpu_patterns();

/// Does the pattern match this CPUID string, by the rule that perf has for the architecture?
EVNAME_API bool cpuid_matches(std::string_view arch, std::string_view pattern,
                              std::string_view cpuid);

/// CPUID strings that the pattern most likely matches (ask cpuid_matches()): one per combination of
/// the choices that it leaves, at most `limit`. None if it uses operators that no mapfile does.
EVNAME_API std::vector<std::string> example_cpuids(std::string_view arch, std::string_view pattern,
                                                   std::size_t limit);

}  // namespace evname
