#pragma once
// Imports the facts of another event tree.

#include <cstddef>
#include <string>
#include <vector>

namespace evname {

/// Options of import_events().
struct ImportOptions {
  /// Directories to read: trees with ARCH/mapfile.csv and ARCH/MODEL/TOPIC.json, Intel's perfmon
  /// repository, Arm's telemetry data, Arm's `data` repository, libpfm4's sources (or PAPI's, which
  /// have a copy), which renew `into`/pfm4. For each event the newest statement of the
  /// CPU's maker counts, else the kernel's. Without a tree in the kernel's layout, makers'
  /// statements are laid over the facts in `into`.
  std::vector<std::string> from = {};
  /// Directory to write, in the kernel's layout; its descriptions/ has the descriptions to use.
  std::string into = {};
  std::vector<std::string> architectures = {};  ///< to import; empty: all that have a mapfile
  bool check = false;                           ///< write nothing; the summary lists the changes
  bool report = false;  ///< the summary ends with the differences between a maker and the kernel
};

/// Result of import_events().
struct ImportReport {
  std::size_t architectures = 0;   ///< number found; 0: `from` is not an event tree
  std::size_t errors = 0;          ///< entries and files that could not be used
  std::size_t changes = 0;         ///< models and mapfiles with codes, events or rows that differ
  std::vector<std::string> notes;  ///< "file:line: error: …" and warnings, human-readable
  std::string summary;             ///< several lines, human-readable
};

/// Reads all of `from` and writes those files of `into` that change. The output is deterministic.
/// Two imports into the same directory must not run at the same time.
ImportReport import_events(const ImportOptions& options);

}  // namespace evname
