#pragma once
// Finds the entries of procedure linkage tables by their instructions.

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"

namespace evname::elf {

/// A table in a file.
struct PltBytes {
  std::uint16_t machine = 0;  ///< EM_*
  Bytes code = {};
  std::uint64_t address = 0;  ///< of the first byte
  std::uint64_t got = 0;      ///< DT_PLTGOT, which i386's code adds to its offsets
};

/// Instructions that jump to the address in a slot of the GOT.
struct PltEntry {
  std::uint64_t start = 0, end = 0;  ///< bytes from the start of the table
  std::uint64_t slot = 0;            ///< address
};

/// Returns the possible entries in order. The table's header may look like one, too, and damaged
/// code may lead anywhere; only the relocations of the slots tell the real ones. Returns nothing
/// for an unknown processor.
std::vector<PltEntry> read_plt(const PltBytes& table);

}  // namespace evname::elf
