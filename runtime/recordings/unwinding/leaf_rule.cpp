#include "recordings/unwinding/leaf_rule.hpp"

#include <cstdlib>
#include <memory>

namespace evname::unwinding {

// For the rule "the same value" libdw returns no operations and nullptr. For an undefined register
// it returns no operations and the given buffer.
bool keeps_return_address(Dwarf_CFI* cfi, Dwarf_Addr address) {
  Dwarf_Frame* found = nullptr;
  if (dwarf_cfi_addrframe(cfi, address, &found) != 0) return false;
  const std::unique_ptr<Dwarf_Frame, decltype(&std::free)> frame(found, std::free);
  const int link = dwarf_frame_info(found, nullptr, nullptr, nullptr);
  Dwarf_Op room[3], *rule = room;
  std::size_t count = 0;
  return link >= 0 && dwarf_frame_register(found, link, room, &rule, &count) == 0 && count == 0 &&
         rule == nullptr;
}

}  // namespace evname::unwinding
