#pragma once
// Decodes instructions of x86-64 and AArch64 just enough to find their ends, and those that never
// continue with the next one.

#include <cstdint>

#include "base/bytes.hpp"

namespace evname::profiles {

/// An architecture by its number in ELF headers (EM_X86_64, EM_AARCH64).
enum class CodeMachine : std::uint16_t { other = 0, x86_64 = 62, aarch64 = 183 };

/// Returns true if code may run from the beginning of `code` to its end without a branch: it
/// consists of whole instructions without a call, return or unconditional jump. Also returns true
/// for other architectures, and from an unknown instruction on.
bool runs_through(Bytes code, CodeMachine machine);

}  // namespace evname::profiles
