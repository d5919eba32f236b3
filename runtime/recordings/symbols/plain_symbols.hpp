#pragma once
// Symbols that are in no ELF file: the kernel's list, and what JIT compilers write for perf.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evname/error.hpp"
#include "recordings/symbols/symbol_table.hpp"

namespace evname::symbols {

/// Reads /proc/kallsyms or a copy. Names of modules' symbols end at the tab before the module. With
/// `modules`, only those and "_text" are read. The budget reports what is left out.
Result<SymbolTable> read_kallsyms(const std::string& path, Budget& budget, bool modules = false);

/// Reads /tmp/perf-PID.map, whose lines are "START SIZE name". `owners`, if there are any, are the
/// users who may own it.
Result<SymbolTable> read_perf_map(const std::string& path, Budget& budget,
                                  std::span<const std::uint32_t> owners = {});

/// Reads jit-PID.dump: the functions that a JIT compiler loaded, at the addresses they had last
/// (tools/perf/Documentation/jitdump-specification.txt).
Result<SymbolTable> read_jitdump(const std::string& path,
                                 std::span<const std::uint32_t> owners = {});

/// Returns the build id of the kernel that runs; empty if it shows none.
std::vector<std::uint8_t> running_kernel_build_id();

/// Returns the first GNU build id among notes of this machine's byte order; empty if there is none.
std::vector<std::uint8_t> build_id_of_notes(const std::string& notes);

}  // namespace evname::symbols
