#pragma once
// Symbols in text: of the kernel, and of what JIT compilers write for perf.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evname/error.hpp"
#include "recordings/symbols/symbol_table.hpp"

namespace evname::symbols {

/// /proc/kallsyms or a copy. Names of modules' symbols end at the tab before the module. `modules`:
/// only those, and "_text".
Result<SymbolTable> read_kallsyms(const std::string& path, bool modules = false);

/// /tmp/perf-PID.map: "START SIZE name" a line.
Result<SymbolTable> read_perf_map(const std::string& path);

/// jit-PID.dump: the functions that a JIT compiler loaded, at the addresses they had last
/// (tools/perf/Documentation/jitdump-specification.txt).
Result<SymbolTable> read_jitdump(const std::string& path);

/// The build id of the kernel that runs; empty: it tells none.
std::vector<std::uint8_t> running_kernel_build_id();

/// The first GNU build id among notes of this machine's byte order; empty: there is none.
std::vector<std::uint8_t> build_id_of_notes(const std::string& notes);

}  // namespace evname::symbols
