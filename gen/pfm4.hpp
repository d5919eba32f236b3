#pragma once
// libpfm4's names: from the files of arch/pfm4 to a C++ table (events/pfm4/dictionary.hpp).

#include <string>
#include <vector>

#include "events/trees/diagnostics.hpp"

namespace evname::gen {

/// Returns the source of the table in pieces, and the files that were read.
std::vector<std::string> emit_pfm4(const std::string& directory, trees::Diagnostics& diagnostics,
                                   std::vector<std::string>& files);

}  // namespace evname::gen
