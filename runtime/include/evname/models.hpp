#pragma once
// The models (directories of event tables) of this build, and the CPUs that they are for. Returned
// views are valid as long as the program runs. Thread-safe.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "evname/error.hpp"
#include "evname/export.h"

namespace evname {

/// A model of this build.
struct ModelInfo {
  std::string_view arch;   ///< "x86", "arm64", …
  std::string_view name;   ///< "skylakex", "arm/neoverse-n1": what Machine::named() takes
  std::size_t events = 0;  ///< number of events on all its PMUs
  ///@{
  /// What else Machine::named() takes for it, in any case and with '-' or '_' anywhere: short names
  /// ("skx", "n1"), and code names, product lines and compilers' names ("skylakesp", "graviton2").
  std::vector<std::string_view> short_names = {}, other_names = {};
  ///@}
};

/// Returns all models, sorted by architecture, then name.
EVNAME_API std::vector<ModelInfo> models();

/// A row of a mapfile: CPUs whose CPUID string matches the pattern have this model.
struct CpuPattern {
  std::string_view arch;     ///< "x86"
  std::string_view pattern;  ///< "GenuineIntel-6-55-[01234]"
  std::string_view model;    ///< ModelInfo::name
  std::string_view version;  ///< of the event data, as their makers number them: "v1.35"
  /// Later rows, by their place among all rows, whose patterns match CPUs that this one takes.
  std::vector<std::size_t> takes_from = {};
};

/// Returns all rows, by architecture and in the order of its mapfile. The first match counts.
EVNAME_API std::vector<CpuPattern> cpu_patterns();

/// A model of a directory of event files, and the CPUs that its mapfile leads there.
struct DirectoryModel {
  std::string arch;                   ///< "x86"
  std::string name;                   ///< "skylakex"
  std::vector<std::string> patterns;  ///< in the order of the mapfile; empty: no row leads there
  std::string example_cpuid;          ///< a CPUID string that leads there; "" if none is known
};

/// Returns the models of a directory that Machine::with_events() takes, sorted by architecture,
/// then name; only the files that lead to models are read. A directory of nothing but the files of
/// one model says nothing of CPUs and has none. Errors: not_found.
EVNAME_API Result<std::vector<DirectoryModel>> models_in(const std::string& directory);

/// Returns true if the pattern matches this CPUID string by perf's rule for the architecture.
EVNAME_API bool cpuid_matches(std::string_view arch, std::string_view pattern,
                              std::string_view cpuid);

}  // namespace evname
