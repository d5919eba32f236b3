#pragma once
// Attributes of DIEs as values.

#include <cstdint>

#include <elfutils/libdw.h>

namespace evname::elf {

/// Returns 0 if there is no such number.
inline std::uint64_t number_of(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &value) != 0) return 0;
  return value;
}

/// Returns nullptr if there is no such text.
inline const char* text_of(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  return dwarf_attr(&die, name, &attribute) ? dwarf_formstring(&attribute) : nullptr;
}

}  // namespace evname::elf
