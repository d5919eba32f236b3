#pragma once
// Finds the files that a ZIP archive stores as they are. Android maps libraries out of its
// packages.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace evname::elf {

/// The directory of an archive. Views are of the archive's bytes, which must outlive it.
class ZipDirectory {
 public:
  /// A file that is stored without compression.
  struct Entry {
    std::string_view name = {};
    std::uint64_t start = 0, size = 0;  ///< of its content in the archive
  };

  /// Returns nullopt if the bytes are no archive, or have no directory that can be read.
  static std::optional<ZipDirectory> read(Bytes archive);

  /// Returns the entry whose content has a place of the archive; nullopt if none has it, it is
  /// compressed, or its size is not what the archive has room for.
  std::optional<Entry> at(std::uint64_t place) const;
  /// Returns the entry of a name; nullopt likewise, or if several have the name.
  std::optional<Entry> named(std::string_view name) const;

 private:
  /// An entry as the directory has it.
  struct Listed {
    std::string_view name = {};
    std::uint64_t header = 0;  ///< place of its local header
    std::uint64_t size = 0;
    bool is_stored = false;
  };

  explicit ZipDirectory(Bytes archive) : archive_(archive) {}
  bool find(std::uint64_t& start, std::uint64_t& count);
  bool find_wide(std::uint64_t& start, std::uint64_t& size, std::uint64_t& count);
  bool read_entry(Cursor& in);
  std::optional<Entry> content_of(std::size_t index) const;

  Bytes archive_;
  std::uint64_t end_ = 0;        ///< where the directory begins, behind all content
  std::uint64_t shift_ = 0;      ///< of bytes before the archive, which its numbers don't count
  std::vector<Listed> entries_;  ///< by their headers' places
};

}  // namespace evname::elf
