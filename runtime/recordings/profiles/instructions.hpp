#pragma once
// Instructions of x86-64 and AArch64, as far as to see where they end and which of them nothing
// runs past.

#include <cstdint>

#include "base/bytes.hpp"

namespace evname::profiles {

/// An architecture by its number in ELF headers (EM_X86_64, EM_AARCH64).
enum class CodeMachine : std::uint16_t { other = 0, x86_64 = 62, aarch64 = 183 };

/// Returns true if code may run from the begin of `code` to its end without a branch: it is a row
/// of whole instructions, none of which is a call, a return or an unconditional jump. True also for
/// other architectures, and for what is not known after an instruction that isn't.
bool runs_through(Bytes code, CodeMachine machine);

}  // namespace evname::profiles
