#include "base/file_identity.hpp"

#include <algorithm>

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/fs.h>
#endif

#include <string_view>

#include "base/read_file.hpp"
#include "base/text.hpp"

namespace evname {
inline namespace base {
namespace {

bool is_same_place(const FileInode& one, const FileInode& other) {
  return one.major == other.major && one.minor == other.minor && one.number == other.number;
}

/// Returns the device and inode that the kernel shows for a mapping of a file. fstat() returns
/// other numbers for some file systems, such as btrfs and overlayfs.
std::optional<FileInode> mapped_inode(int file) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* const at = ::mmap(nullptr, page, PROT_READ, MAP_PRIVATE, file, 0);
  if (at == MAP_FAILED) return std::nullopt;
  std::optional<FileInode> found;
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  constexpr std::size_t kMostText = std::size_t{64} << 20;
  (void)read_lines("/proc/self/maps", kMostText, [&](std::string_view line) {
    if (found || parse_hex(line.substr(0, line.find('-'))) != address) return;
    const auto words = split(line, ' ');  // addresses, rights, offset, device, inode
    if (words.size() < 5) return;
    const std::size_t colon = words[3].find(':');
    if (colon == words[3].npos) return;
    found = {static_cast<std::uint32_t>(parse_hex(words[3].substr(0, colon)).value_or(0)),
             static_cast<std::uint32_t>(parse_hex(words[3].substr(colon + 1)).value_or(0)),
             parse_decimal(words[4]).value_or(0), 0};
  });
  ::munmap(at, page);
  return found;
}

/// Returns 0 if the file system has none.
std::uint64_t generation_of(int file) {
#ifdef FS_IOC_GETVERSION
  long generation = 0;  // the kernel writes an int
  if (::ioctl(file, FS_IOC_GETVERSION, &generation) == 0)
    return static_cast<std::uint32_t>(generation);
#endif
  (void)file;
  return 0;
}

}  // namespace

std::optional<bool> has_inode(int file, const FileInode& inode) {
  struct stat info {};
  if (::fstat(file, &info) != 0) return std::nullopt;
  if (!is_same_place(inode, {major(info.st_dev), minor(info.st_dev), info.st_ino})) {
    const auto mapped = mapped_inode(file);
    if (!mapped) return std::nullopt;
    if (!is_same_place(inode, *mapped)) return false;
  }
  const std::uint64_t generation = inode.generation != 0 ? generation_of(file) : 0;
  return generation == 0 || generation == inode.generation;
}

// The header of a note has 12 bytes, and what follows it begins where the header and the name end,
// aligned.
std::string build_id_of_notes(Bytes notes, std::uint64_t alignment, std::endian order) {
  constexpr std::uint32_t kHeader = 12, kBuildIdNote = 3;
  const std::uint64_t unit = alignment == 8 ? 8 : 4;
  const auto padded = [&](std::uint64_t size) { return (size + unit - 1) / unit * unit; };
  Cursor in(notes, order);
  while (in.remaining() >= kHeader) {
    const std::uint32_t name_size = in.u32(), id_size = in.u32(), type = in.u32();
    const std::string_view name = in.text(padded(std::uint64_t{kHeader} + name_size) - kHeader);
    const Bytes id = in.bytes(id_size);
    if (!in.ok()) break;
    if (type == kBuildIdNote && name == "GNU")
      return {reinterpret_cast<const char*>(id.data()), id.size()};
    in.skip(std::min<std::uint64_t>(padded(id_size) - id_size, in.remaining()));
  }
  return {};
}

}  // namespace base
}  // namespace evname
