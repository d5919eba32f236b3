#pragma once
// The entries of procedure linkage tables, by their instructions.

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"

namespace evname::symbols {

/// A table as it lies in a file.
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

/// Returns what looks like an entry, in order: the table's header may do so, too, and damaged code
/// may lead anywhere. Only the relocations of the slots tell which ones are entries. Returns
/// nothing for a processor whose code is not known.
std::vector<PltEntry> read_plt(const PltBytes& table);

}  // namespace evname::symbols
