#pragma once
// Files of comma-separated values.

#include <string>
#include <vector>

#include "events/trees/diagnostics.hpp"

namespace evname::trees {

struct CsvRow {
  std::vector<std::string> cells;
  Place place;
};

/// Returns the rows of a file, its heading included. Empty lines and lines that begin with '#' are
/// comments. Cells may be quoted (RFC 4180), but a row is one line.
std::vector<CsvRow> read_csv(const std::string& path, Diagnostics& diagnostics);

}  // namespace evname::trees
