#pragma once
// Reads symbols outside of ELF files: the kernel's list, and the files that JIT compilers write for
// perf.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "evname/error.hpp"
#include "recordings/elf/symbol_table.hpp"

namespace evname::symbols {

/// Reads /proc/kallsyms or a copy. Names of modules' symbols end at the tab before the module. With
/// `modules`, only those and "_text" are read. The budget reports symbols that are left out.
Result<elf::SymbolTable> read_kallsyms(const std::string& path, elf::Budget& budget,
                                       bool modules = false);

/// Lines that don't describe a function.
struct UnreadLines {
  std::uint64_t count = 0;
  std::uint64_t first = 0;  ///< from 1 on
};

/// Reads /tmp/perf-PID.map, whose lines are "START SIZE name" as perf reads them: numbers are
/// hexadecimal, with or without 0x, and blanks or tabs are between them. If there are `owners`, the
/// file must belong to one of these users.
Result<elf::SymbolTable> read_perf_map(const std::string& path, elf::Budget& budget,
                                       std::span<const std::uint32_t> owners = {},
                                       UnreadLines* unread = nullptr);

/// Returns the build id of the running kernel; empty if it is hidden.
std::vector<std::uint8_t> running_kernel_build_id();

}  // namespace evname::symbols
