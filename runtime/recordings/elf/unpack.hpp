#pragma once
// Unpacks whole files (modules of kernels, .gnu_debugdata) and sections of ELF files.

#include <cstdint>
#include <span>
#include <string>

#include "base/read_file.hpp"
#include "recordings/elf/symbol_search.hpp"

namespace evname::elf {

/// Returns an unnamed file with the contents of a file packed by gzip, bzip2, xz or zstd; messages
/// call that `name`. No descriptor: it is not packed, is damaged, or exceeds the budget.
Descriptor unpack(int packed, const std::string& name, Budget& budget);

/// Unpacks a section into `out`, and must fill it. `type` is ELFCOMPRESS_ZLIB or ELFCOMPRESS_ZSTD.
/// Returns false if the section is damaged, or this build lacks the library.
bool unpack_section(unsigned type, std::span<const std::uint8_t> packed,
                    std::span<std::uint8_t> out);

}  // namespace evname::elf
