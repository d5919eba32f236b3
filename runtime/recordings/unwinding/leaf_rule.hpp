#pragma once
// Finds out whether a function has its return address in a register. Leaf functions keep it there,
// so chains of frame pointers lack their callers.

#include <elfutils/libdw.h>

namespace evname::unwinding {

/// Returns true if, by the rules, the return address is still in the link register at the
/// instruction. Returns false if there is no rule for the address.
bool keeps_return_address(Dwarf_CFI* cfi, Dwarf_Addr address);

}  // namespace evname::unwinding
