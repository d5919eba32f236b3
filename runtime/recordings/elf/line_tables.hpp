#pragma once
// Stores the source lines of a file's units in little memory.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <elfutils/libdw.h>

#include "recordings/elf/elf_image.hpp"
#include "recordings/elf/reading_limits.hpp"

namespace evname::elf {

/// The requested line tables. libdw keeps all rows until a file is closed, so the handle is closed
/// after kMostRows rows and opened again if more are needed. The copies have 16 bytes for each row
/// that changes the line. For one thread at a time.
class LineTables {
 public:
  struct Place {
    std::string_view path = {};  ///< empty: not known
    std::uint32_t line = 0;
  };
  /// Opens the file again; nullptr if it fails.
  using Open = std::function<Dwarf*()>;

  /// Reads the tables of the image's file. The image and the limits must outlive the object.
  LineTables(const ElfImage& image, ReadingLimits& limits, Open open)
      : image_(image), limits_(limits), open_(std::move(open)) {}

  /// Returns the source line of an address in the unit of a DIE.
  Place place(Dwarf_Die unit, std::uint64_t address);
  /// Returns the path of a file of the unit by its number; empty if there is none. The views stay.
  std::string_view path(Dwarf_Die unit, std::uint64_t file);

 private:
  /// The line from an address on.
  struct Row {
    std::uint64_t address;
    std::uint32_t file;  ///< kNoFile: not known
    std::uint32_t line;  ///< kEnd: no line
  };
  struct Table {
    std::vector<Row> rows;  ///< sorted
    std::vector<std::string_view> files;
  };
  static constexpr std::uint32_t kNoFile = UINT32_MAX, kEnd = UINT32_MAX;
  static constexpr std::size_t kMostRows = std::size_t{1} << 16;  ///< that libdw keeps

  const Table& table_of(Dwarf_Die& unit);
  bool has_room(Dwarf_Die& unit);
  void read(Dwarf_Off unit, Table& table);
  std::string_view kept(const char* path) { return *paths_.insert(path ? path : "").first; }

  const ElfImage& image_;
  ReadingLimits& limits_;
  Open open_;
  std::unique_ptr<Dwarf, int (*)(Dwarf*)> dwarf_{nullptr, dwarf_end};
  std::size_t rows_read_ = 0;                    ///< by dwarf_
  std::uint64_t bytes_read_ = 0;                 ///< of .debug_line
  std::unordered_map<Dwarf_Off, Table> tables_;  ///< by their units
  std::unordered_set<std::string> paths_;
};

}  // namespace evname::elf
