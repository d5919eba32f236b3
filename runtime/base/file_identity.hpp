#pragma once
// Identifies files: by their inodes, as the kernel's records of mappings have them, and by build
// ids, notes of the linker that identify each build of a file.

#include <bit>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.hpp"

namespace evname {
inline namespace base {

struct FileInode {
  std::uint32_t major = 0, minor = 0;  ///< the device
  std::uint64_t number = 0;
  std::uint64_t generation = 0;  ///< 0: unknown
  auto operator<=>(const FileInode&) const = default;
};

/// Returns true if an open file has the inode that the kernel showed for a mapping; nullopt if this
/// is unknown.
std::optional<bool> has_inode(int file, const FileInode& inode);

/// Returns the build id in a section or segment of ELF notes, as bytes; "" if there is none. Notes
/// are aligned to 8 bytes or, as most are, to 4.
std::string build_id_of_notes(Bytes notes, std::uint64_t alignment = 4,
                              std::endian order = std::endian::native);

}  // namespace base
}  // namespace evname
