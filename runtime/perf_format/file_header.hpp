#pragma once
// Reads the header of a perf.data file.
// Source: tools/perf/Documentation/perf.data-file-format.txt of Linux.

#include <bitset>
#include <cstdint>
#include <string>

#include "base/bytes.hpp"
#include "evname/error.hpp"
#include "perf_format/record.hpp"

namespace evname::perf_format {

/// A number in the recorder's byte order; as text, "PERFILE2" or "2ELIFREP".
inline constexpr std::uint64_t kMagicNumber = 0x32454c4946524550;
/// Sizes of headers, in bytes: of a pipe (the magic number and the size), of a file, and of a file
/// of early perf without features.
inline constexpr std::size_t kPipeHeader = 16, kFileHeader = 104, kSmallHeader = 72;
inline constexpr std::size_t kSectionBytes = 16;  ///< a section's offset and size

struct Section {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  bool inside(std::uint64_t file_size) const {
    return offset <= file_size && size <= file_size - offset;
  }
  bool overlaps(const Section& other) const {
    return offset < other.offset ? other.offset - offset < size
                                 : offset - other.offset < other.size;
  }
};

struct Header {
  std::endian order = std::endian::native;
  bool pipe = false;  ///< a stream of records follows; nothing below is set
  std::uint64_t size = 0;
  std::uint64_t attr_size = 0;  ///< of one entry of the attrs section
  Section attrs;
  Section data;  ///< inside the file; up to its end if the recorder never wrote the size
  std::uint64_t feature_table = 0;  ///< offset; 0: there is none
  std::bitset<256> features;
  bool narrow_bitmap = false;  ///< the bitmap of features has 32-bit words
};

/// Reads the first 16 bytes: the byte order, the header's size, and whether a stream follows.
/// `name` is the file's, for errors.
Result<Header> read_start(Bytes file, const std::string& name);

/// Reads the header. Repairs sizes past the end of the file and a data section whose size was never
/// written, with a warning for each.
Result<Header> read_header(Bytes file, const std::string& name, Warnings& warnings);

/// Returns a section of `bytes`; empty if it does not lie in them.
inline Bytes section_of(Bytes bytes, Section section) {
  return section.inside(bytes.size()) ? bytes.subspan(section.offset, section.size) : Bytes{};
}

}  // namespace evname::perf_format
