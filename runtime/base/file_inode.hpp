#pragma once
// Files by their inodes, as the kernel's records of mappings have them.

#include <compare>
#include <cstdint>
#include <optional>

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

}  // namespace base
}  // namespace evname
