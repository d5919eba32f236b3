#pragma once
// Finds out whether a function has its return address in a register. Functions that call no other
// keep it there, and chains of frame pointers lack their callers.

#include <elfutils/libdw.h>

namespace evname::symbols {

/// Returns true if the rules say that the return address is still in the register that calls write
/// when the instruction at an address begins. Returns false if they have no rule for the address.
bool keeps_return_address(Dwarf_CFI* cfi, Dwarf_Addr address);

}  // namespace evname::symbols
