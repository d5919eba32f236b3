#pragma once
// Reads units of debug information in separate files: .dwo files, and .dwp with all units of a
// program (DWARF 5, section 7.3; before it, GNU's "DebugFission").

#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <elfutils/libdw.h>

#include "recordings/elf/elf_image.hpp"
#include "recordings/elf/symbol_search.hpp"

namespace evname::elf {

/// Returns 0 if there is no such number.
inline std::uint64_t number_of(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &value) != 0) return 0;
  return value;
}

/// Returns nullptr if there is no such text.
inline const char* text_of(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  return dwarf_attr(&die, name, &attribute) ? dwarf_formstring(&attribute) : nullptr;
}

/// A unit with the data of its skeleton, which libdw finds only for files that it opens itself.
class SplitUnit {
 public:
  /// The sections of a split file: a unit's own, and shared ones.
  enum Part : unsigned {
    info,
    abbrev,
    line,
    str_offsets,
    rnglists,
    kOwnParts,
    str = kOwnParts,
    line_str,
    kParts
  };
  using Parts = std::array<Bytes, kParts>;

  ~SplitUnit();
  SplitUnit(const SplitUnit&) = delete;
  SplitUnit& operator=(const SplitUnit&) = delete;

  /// Returns nullptr if the parts have no unit of that id. `keeps` has the bytes of the parts;
  /// `image` is the skeleton's.
  static std::unique_ptr<SplitUnit> make(const Parts& parts, std::shared_ptr<const void> keeps,
                                         const ElfImage& image, Dwarf_Die skeleton,
                                         std::uint64_t id);

  Dwarf* dwarf() const { return dwarf_; }
  Dwarf_Die die() const { return die_; }
  /// Returns the start offset of dwarf_ranges() for a DIE of the unit whose list is relative to
  /// base(); nullopt: as for any other DIE.
  std::optional<std::ptrdiff_t> range_list(Dwarf_Die* die) const;
  /// Returns true if the list of a DIE is relative to base() until it changes the base, even if
  /// dwarf_ranges() starts differently (before DWARF 5).
  bool is_relative(Dwarf_Die* die) const;
  /// Returns the start address of the skeleton.
  Dwarf_Addr base() const { return base_; }

 private:
  SplitUnit() = default;
  bool find_die(std::uint64_t id);

  std::shared_ptr<const void> keeps_;
  std::vector<std::uint8_t> file_;  ///< with headers alone
  Elf* elf_ = nullptr;
  Dwarf* dwarf_ = nullptr;
  Dwarf_Die die_ = {};
  Dwarf_Addr base_ = 0;
  Dwarf_Half version_ = 0;
  Bytes info_, lists_;
  std::endian order_ = std::endian::native;
};

/// A file with units.
class SplitFile {
 public:
  /// Returns nullptr if it is none that can be read.
  /// See open_within() for `root`.
  static std::shared_ptr<SplitFile> open(const std::string& path, const std::string& root,
                                         Budget& budget);

  /// Returns the parts of a unit; nullopt if the file doesn't have it, or is damaged there.
  std::optional<SplitUnit::Parts> parts_of(std::uint64_t id) const;

 private:
  bool cut(Bytes index, std::uint64_t id, SplitUnit::Parts& parts) const;

  std::unique_ptr<ElfImage> image_;
  SplitUnit::Parts whole_;
  Bytes index_;  ///< of a .dwp: .debug_cu_index
  std::endian order_ = std::endian::native;
};

/// The split units of a program. For one thread at a time.
class SplitUnits {
 public:
  /// `directory` contains the image's file. All must outlive the object.
  SplitUnits(const ElfImage& image, const SymbolSearch& search,
             const std::filesystem::path& directory)
      : image_(image), search_(search), directory_(directory) {}

  /// Returns the unit of a skeleton; nullptr: missing.
  const SplitUnit* find(Dwarf_Die skeleton);

 private:
  const SplitUnit* take(const std::shared_ptr<SplitFile>& file, Dwarf_Die skeleton,
                        std::uint64_t id);
  void open_packages();
  const SplitUnit* find_in(const std::string& root, Dwarf_Die skeleton,
                           const std::filesystem::path& path, std::uint64_t id);
  std::shared_ptr<SplitFile> open(const std::string& path, const std::string& root,
                                  bool is_named) const;
  bool is_in_symfs(const std::filesystem::path& path) const;

  const ElfImage& image_;
  const SymbolSearch& search_;
  const std::filesystem::path& directory_;
  bool has_packages_ = false;
  std::vector<std::shared_ptr<SplitFile>> packages_;  ///< .dwp
  std::list<std::unique_ptr<SplitUnit>> units_;
};

}  // namespace evname::elf
