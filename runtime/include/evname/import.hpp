#pragma once
// Taking the facts of another event tree into one's own.

#include <cstddef>
#include <string>
#include <vector>

#include "evname/export.h"

namespace evname {

/// What is taken from where.
struct ImportOptions {
  /// Directory to read: ARCH/mapfile.csv and ARCH/MODEL/TOPIC.json, or Intel's perfmon repository.
  std::string from;
  /// Directory to write, in the same layout; descriptions/ in it holds texts of one's own.
  std::string into;
  std::vector<std::string> architectures;  ///< only these; empty: all that have a mapfile
};

/// What became of it.
struct ImportReport {
  std::size_t architectures = 0;   ///< how many were found; 0: `from` is no event tree
  std::size_t errors = 0;          ///< entries and files that could not be used
  std::vector<std::string> notes;  ///< "file:line: error: …" and warnings, for people
  std::string summary;             ///< lines of text, for people
};

/// Reads `from` and writes the files of `into` that change. The same input gives the same bytes.
/// Two imports into the same directory must not run at once.
EVNAME_API ImportReport import_events(const ImportOptions& options);

}  // namespace evname
