#pragma once
// Makes ELF files from sections, for libraries that read only whole files.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <gelf.h>

#include "base/bytes.hpp"

namespace evname::elf {

struct MadeSection {
  std::string_view name;
  Bytes content;
};

/// Returns a file for the machine of another one, with these segments and sections; empty if libelf
/// fails.
std::vector<std::uint8_t> make_elf(const GElf_Ehdr& like, std::span<const GElf_Phdr> segments,
                                   std::span<const MadeSection> sections);

}  // namespace evname::elf
