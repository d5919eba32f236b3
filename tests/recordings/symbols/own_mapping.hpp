#pragma once
// Mappings of the files that the running test consists of.

#include <link.h>

#include <cstdint>
#include <optional>

#include "evname/symbols.hpp"

namespace evname::test {

/// The mapping that has an address; nullopt if it is of no file.
inline std::optional<Mapping> own_mapping(std::uint64_t address) {
  struct Found {
    std::uint64_t address;
    std::optional<Mapping> mapping;
  } found{address, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        auto& result = *static_cast<Found*>(out);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          const std::uint64_t start = info->dlpi_addr + segment.p_vaddr;
          if (segment.p_type == PT_LOAD && result.address - start < segment.p_filesz)
            result.mapping = {.file = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe",
                              .start = start,
                              .end = start + segment.p_filesz,
                              .offset = segment.p_offset};
        }
        return 0;
      },
      &found);
  return found.mapping;
}

}  // namespace evname::test
