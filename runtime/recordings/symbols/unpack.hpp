#pragma once
// Files that are packed as a whole (the modules of kernels, .gnu_debugdata) and sections of ELF
// files.

#include <cstdint>
#include <span>
#include <string>

#include "base/read_file.hpp"
#include "recordings/symbols/budget.hpp"

namespace evname::symbols {

/// Returns a file without a name that has what gzip, bzip2, xz or zstd packed into another, which
/// is called `name` in messages. No descriptor: it is not packed so, is damaged, or has become more
/// than the budget allows.
Descriptor unpack(int packed, const std::string& name, Budget& budget);

/// Unpacks a section into `out`, which it fills as a whole. `type` is ELFCOMPRESS_ZLIB or
/// ELFCOMPRESS_ZSTD. Returns false if the section is damaged, or this build lacks the library.
bool unpack_section(unsigned type, std::span<const std::uint8_t> packed,
                    std::span<std::uint8_t> out);

}  // namespace evname::symbols
