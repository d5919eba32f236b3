#pragma once
// Files of debuginfod's servers.

#include <cstdint>
#include <string>
#include <vector>

#include "recordings/elf/symbol_search.hpp"

namespace evname::elf {

/// Returns the path of a file of this build id that was fetched before or, if the user wants it, is
/// fetched now; empty: there is none. `kind` is "debuginfo" or "executable".
std::string debuginfod_file(const std::vector<std::uint8_t>& build_id, const char* kind,
                            const SymbolSearch& search);

}  // namespace evname::elf
