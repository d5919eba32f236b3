#pragma once
// Makes ZIP archives of two files, after sections 4.3 to 4.5 of PKWARE's APPNOTE.TXT.

#include <cstdint>
#include <string>
#include <string_view>

#include "support/bytes_out.hpp"

namespace evname::test {

struct ZipParts {
  std::uint16_t method = 0;     ///< 0: stored
  bool is_wide = false;         ///< the directory has numbers of 64 bits
  std::uint32_t too_large = 0;  ///< bytes that the directory adds to the first file's size
  std::uint16_t flags = 0;      ///< the directory gives them to both files
  std::string second = "b";     ///< the name of the second file
  std::string before = {};      ///< bytes before the archive; its offsets do not include them
  std::string comment = {};
};

/// The files have 64 bytes each; the first one is "lib/a.so".
inline std::string zip_file(const ZipParts& parts) {
  const std::string content = "\177ELF" + std::string(60, '.');
  const auto size = static_cast<std::uint32_t>(content.size());
  BytesOut out, directory;
  std::uint32_t claimed = size + parts.too_large;
  for (const std::string& name : {std::string("lib/a.so"), parts.second}) {
    const auto length = static_cast<std::uint16_t>(name.size());
    const auto place = static_cast<std::uint32_t>(out.size());
    out.u32(0x04034b50).u16(10).u16(0).u16(parts.method).u32(0).u32(0).u32(claimed).u32(claimed);
    out.u16(length).u16(0).raw(name).raw(content);
    directory.u32(0x02014b50).u16(10).u16(10).u16(parts.flags).u16(parts.method).u32(0).u32(0);
    directory.u32(claimed).u32(parts.is_wide ? UINT32_MAX : claimed);
    directory.u16(length).u16(parts.is_wide ? 12 : 0).u16(0).u16(0).u16(0).u32(0).u32(place);
    directory.raw(name);
    if (parts.is_wide) directory.u16(1).u16(8).u64(claimed);
    claimed = size;
  }
  const std::uint64_t start = out.size(), length = directory.size();
  const auto narrow = [&](std::uint64_t value) {
    return parts.is_wide ? UINT32_MAX : static_cast<std::uint32_t>(value);
  };
  out.raw(directory.str());
  if (parts.is_wide) {
    const std::uint64_t end = out.size();
    out.u32(0x06064b50).u64(44).u16(45).u16(45).u32(0).u32(0).u64(2).u64(2).u64(length).u64(start);
    out.u32(0x07064b50).u32(0).u64(end).u32(1);
  }
  out.u32(0x06054b50).u16(0).u16(0).u16(2).u16(2).u32(narrow(length)).u32(narrow(start));
  out.u16(static_cast<std::uint16_t>(parts.comment.size())).raw(parts.comment);
  return parts.before + out.str();
}

}  // namespace evname::test
