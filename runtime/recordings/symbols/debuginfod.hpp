#pragma once
// Files that debuginfod's servers have.

#include <string>
#include <vector>

#include "recordings/symbols/code_file.hpp"

namespace evname::symbols {

/// The path of a file of this build id that was fetched before or, if the user wants it, is fetched
/// now; empty: there is none. `kind`: "debuginfo" or "executable".
std::string debuginfod_file(const std::vector<std::uint8_t>& build_id, const char* kind,
                            const Search& search);

}  // namespace evname::symbols
