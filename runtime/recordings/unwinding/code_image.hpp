#pragma once
// Describes code of a JIT compiler as an ELF file, for libraries that unwind stacks.

#include <cstdint>
#include <vector>

#include "recordings/symbols/code_history.hpp"

namespace evname::unwinding {

/// Returns a 64-bit ELF file of this machine's byte order that has the table for unwinding, and no
/// code. It has the process's addresses, where other code may be in the place of the table.
/// `machine`: EM_*.
std::vector<std::uint8_t> code_image(std::uint16_t machine, std::uint64_t start,
                                     const symbols::CodeHistory::Unwinding& unwinding);

}  // namespace evname::unwinding
