#pragma once
// Reads mapfile.csv, which maps CPUID strings to model directories.

#include <string>
#include <vector>

#include "events/trees/diagnostics.hpp"

namespace evname::trees {

struct MapfileRow {
  std::string pattern;
  std::string version;
  std::string directory;  ///< relative to the architecture
  std::string type;       ///< "core"; may be missing
  std::string role;       ///< vendor trees, hybrid CPUs: "Core", "Atom"
  Place place;
};

/// Reads the rows in file order. As in the kernel, the first row is always a heading, and empty
/// rows and rows that begin with '#' are comments. Columns may be quoted (RFC 4180).
std::vector<MapfileRow> read_mapfile(const std::string& path, Diagnostics& diagnostics);

/// Warns of rows that can never match a CPU of that architecture: a bad expression, a lower-case
/// x86 model, a MIDR that is no number, or a row that an earlier one hides.
void lint_mapfile(std::string_view arch, const std::vector<MapfileRow>& rows,
                  Diagnostics& diagnostics);

}  // namespace evname::trees
