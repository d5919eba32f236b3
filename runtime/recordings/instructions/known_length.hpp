#pragma once
// The lengths of x86-64's instructions, without a decoder: Capstone takes twelve times as long.

#include <cstddef>

#include "base/bytes.hpp"

namespace evname::instructions {

/// An instruction: its length (0: unknown), and whether it is a call, return or unconditional jump.
struct KnownLength {
  std::size_t size = 0;
  bool leaves = false;
};

/// Returns the length of the instruction of x86-64 at the beginning of `code`; unknown if it is cut
/// off.
KnownLength x86_length(Bytes code);

/// Returns true if an instruction of x86 always leads elsewhere: a jump, call, return or trap.
bool x86_diverts(Bytes code);

}  // namespace evname::instructions
