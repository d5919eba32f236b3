#pragma once
// Reads symbols that are in no ELF file: the kernel's list, and the files that JIT compilers write
// for perf.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "evname/error.hpp"
#include "recordings/symbols/symbol_table.hpp"

namespace evname::symbols {

/// Reads /proc/kallsyms or a copy. Names of modules' symbols end at the tab before the module. With
/// `modules`, only those and "_text" are read. The budget reports symbols that are left out.
Result<SymbolTable> read_kallsyms(const std::string& path, Budget& budget, bool modules = false);

/// Reads /tmp/perf-PID.map, whose lines are "START SIZE name". If there are `owners`, the file must
/// belong to one of these users.
Result<SymbolTable> read_perf_map(const std::string& path, Budget& budget,
                                  std::span<const std::uint32_t> owners = {});

/// Reads jit-PID.dump: the functions that a JIT compiler loaded, at the addresses they had last
/// (tools/perf/Documentation/jitdump-specification.txt).
Result<SymbolTable> read_jitdump(const std::string& path,
                                 std::span<const std::uint32_t> owners = {});

/// Returns the build id of the running kernel; empty if it does not show it.
std::vector<std::uint8_t> running_kernel_build_id();

}  // namespace evname::symbols
