#pragma once
// Names that a recording has of its own: the functions, lines and inlined calls at the places that
// its samples need, file by file, as `evname pack` writes them.
//
//     u32 version, u32 packing (0: none, 1: zstd), u64 size of what follows, unpacked
//     u64 size of the texts, the texts: each ends with NUL, and the first is empty
//     u32 number of files, then of each file:
//       u32 size of its identity, the identity (see FileKey)
//       u32 size of a build id, the build id; only of a file inside another one
//       u32 number of files inside of it, by offset, each: u64 offset of the mapping, u64 start,
//         u64 size, u64 origin (see OuterFile::Place), u32 name
//       u32 frames, each: u32 function, u32 source, u32 line (its highest bit: inlined)
//       u32 places, by place, each: u64 place, u64 address, u64 offset from the function's start,
//         u32 first of its frames, u32 how many, doubled, and 1 if there is debug information;
//         the frames are in the order of the places
//       u64 size of a jitdump, the jitdump: see part_of_dump()
//
// All numbers are little-endian; a name or source is the place of its text among the texts. A place
// is what SymbolFile::place_of() returns.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "evname/error.hpp"
#include "evname/symbols.hpp"
#include "recordings/symbols/inner_files.hpp"

namespace evname::symbols {

/// The names of one file. All views are of the PackedNames.
class PackedFile {
 public:
  /// Sets `frames` as Symbols::frames() does, with all details. Returns false if the place has no
  /// names here.
  bool frames(std::uint64_t place, std::vector<Frame>& frames) const;
  /// Returns the function alone.
  std::optional<Frame> function(std::uint64_t place) const;
  /// Returns the file inside this one that a mapping of this offset is of.
  std::optional<OuterFile::Place> inner(std::uint64_t offset) const;
  Bytes build_id() const { return build_id_; }  ///< of a file inside another one
  /// What the JIT compiler wrote about the code that samples need; empty: nothing.
  Bytes jitdump() const { return jitdump_; }

 private:
  friend class PackedNames;
  struct Place;

  std::optional<Place> find(std::uint64_t place) const;
  bool has_own_frames() const;
  std::string_view text(std::uint32_t at) const;

  Bytes texts_, build_id_, inner_, frames_, places_, jitdump_;
};

/// The names of all files. Any number of threads may use an object.
class PackedNames {
 public:
  /// Reads what pack_names() returned. Errors: corrupt; unsupported.
  static Result<PackedNames> read(std::string_view packed);

  /// Returns nullptr if there are no names of a file with this identity.
  const PackedFile* file(std::string_view identity) const {
    const auto at = files_.find(identity);
    return at == files_.end() ? nullptr : &at->second;
  }

 private:
  bool read_file(Cursor& in);

  std::vector<std::uint8_t> bytes_;
  Bytes texts_;
  std::map<std::string_view, PackedFile> files_;  ///< by identity
};

/// Returns the content of what pack_names() returned, not packed. Errors: corrupt; unsupported.
Result<std::vector<std::uint8_t>> unpacked(std::string_view packed);

/// Collects the names of one file.
struct CollectedFile {
  /// A place, and its frames: Symbols::frames().
  struct Place {
    std::uint64_t place = 0;
    std::vector<Frame> frames;
  };

  std::string identity;
  std::vector<std::uint8_t> build_id = {};
  std::vector<std::pair<std::uint64_t, OuterFile::Place>> inner = {};  ///< by offset of a mapping
  std::vector<Place> places = {};                                      ///< by place, each once
  std::string jitdump = {};

  /// Returns the number of places that have a name, in a jitdump 0.
  std::uint64_t named() const;
  /// Returns true if it tells nothing.
  bool is_empty() const { return inner.empty() && jitdump.empty() && named() == 0; }
};

/// Returns the bytes that PackedNames::read() reads.
std::string pack_names(std::span<const CollectedFile> files);

}  // namespace evname::symbols
