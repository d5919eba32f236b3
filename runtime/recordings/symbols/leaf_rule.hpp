#pragma once
// Finds out whether a function has its return address in a register, as functions do that call
// none. Chains of frame pointers lack the callers of such functions.

#include <elfutils/libdw.h>

namespace evname::symbols {

/// Returns true if the rules say that, before the instruction at an address, the return address is
/// in the register in which calls leave it. False if they have no rule for the address.
bool keeps_return_address(Dwarf_CFI* cfi, Dwarf_Addr address);

}  // namespace evname::symbols
