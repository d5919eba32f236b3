#pragma once
// Imports the facts of another event tree.

#include <cstddef>
#include <string>
#include <vector>

#include "evname/export.h"

namespace evname {

/// Options of import_events().
struct ImportOptions {
  /// Directory to read: ARCH/mapfile.csv and ARCH/MODEL/TOPIC.json, or Intel's perfmon repository.
  std::string from;
  /// Directory to write, in the same layout; Its descriptions/ has the descriptions to use.
  std::string into;
  std::vector<std::string> architectures;  ///< to import; empty: all that have a mapfile
};

/// Result of import_events().
struct ImportReport {
  std::size_t architectures = 0;   ///< number found; 0: `from` is not an event tree
  std::size_t errors = 0;          ///< entries and files that could not be used
  std::vector<std::string> notes;  ///< "file:line: error: …" and warnings, human-readable
  std::string summary;             ///< several lines, human-readable
};

/// Reads `from` and writes those files of `into` that change. The output is deterministic. Two
/// imports into the same directory must not run at the same time.
EVNAME_API ImportReport import_events(const ImportOptions& options);

}  // namespace evname
