#pragma once
// Finds the source lines and inlined calls of addresses in DWARF.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <elfutils/libdw.h>

#include "evname/symbols.hpp"
#include "recordings/elf/elf_image.hpp"
#include "recordings/elf/split_units.hpp"
#include "recordings/elf/symbol_search.hpp"

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

/// The debug information of a file, for one thread at a time. Reads a unit on the first use of one
/// of its addresses.
class DebugInfo {
 public:
  /// Returns nullptr if the image has none. The image and the search must outlive the object.
  /// Like all members, throws std::bad_alloc if libdw has no memory.
  static std::unique_ptr<DebugInfo> of(const ElfImage& image, const SymbolSearch& search);

  /// Sets `frames` to the frames at an address of the file: inlined calls, innermost first, then
  /// `function`. Once the limits of reading are spent, only `function` is left. Without
  /// `details.inlines`, there is only the function, with the source and line of the address;
  /// without `details.lines`, frames have no source and line.
  void frames(std::uint64_t address, const Frame& function, FrameDetails details,
              std::vector<Frame>& frames);

 private:
  struct Range {
    std::uint64_t start, end;
    std::size_t unit;  ///< of units_
  };
  /// A function, or a call inlined into it, without gaps.
  struct Scope {
    std::uint64_t start, end;
    std::uint32_t depth;  ///< 0: a function
    Dwarf_Die die;
  };
  struct Function {
    std::uint64_t start, end;
    Dwarf_Die die;
  };
  struct Unit {
    Dwarf_Die die = {};
    Dwarf_Die skeleton = {};    ///< the same, or the unit that contains `die`
    bool is_elsewhere = false;  ///< its split unit has not been looked for
    const SplitUnit* split = nullptr;
    bool is_read = false;
    bool is_asked = false;                 ///< asked for lines or functions; both are kept
    std::vector<Function> functions = {};  ///< sorted
    std::unordered_map<Dwarf_Off, std::vector<Scope>> inlined = {};  ///< of functions asked for
  };

  /// A file that another one refers to.
  struct Supplement {
    std::unique_ptr<ElfImage> image;
    std::unique_ptr<Dwarf, int (*)(Dwarf*)> dwarf;
  };

  DebugInfo(const ElfImage& image, Dwarf* dwarf, const SymbolSearch& search);
  std::string canonical_symfs() const;
  std::unique_ptr<ElfImage> find_supplement(const std::string& name,
                                            const std::vector<std::uint8_t>& id) const;
  void set_supplement(Dwarf* dwarf, bool looks_for_it);
  void look_elsewhere(Unit& unit);
  template <class Each>
  void for_each_range(Dwarf_Die* die, const SplitUnit* split, Each&& each);
  template <class Each>
  void for_each_child(Dwarf_Die* parent, Dwarf_Off& last, Each&& each);
  void read_units();
  Unit* unit_at(std::uint64_t address);
  void read_functions(Unit& unit);
  void collect_functions(Dwarf_Die* parent, Dwarf_Off& last, Unit& unit, unsigned depth);
  void collect_inlined(const Unit& unit, Dwarf_Die* parent, Dwarf_Off& last, std::uint32_t depth,
                       unsigned nesting, std::vector<Scope>& scopes);
  const std::vector<Scope>* inlined_at(Unit& unit, std::uint64_t address);
  std::string_view name_of(Dwarf_Die die);
  void set_call_site(const Unit& unit, Dwarf_Die die, Frame& caller);

  /// The number of addresses after which most of the file is in memory.
  static constexpr std::uint64_t kAskedOften = 4096;

  const ElfImage& image_;
  std::uint64_t asked_ = 0;
  const SymbolSearch& search_;
  ReadingLimits limits_;
  std::filesystem::path directory_;  ///< of the image's file
  std::vector<Supplement> supplements_;
  std::unique_ptr<Dwarf, int (*)(Dwarf*)> dwarf_;  ///< destroyed before its supplements
  SplitUnits split_units_;
  LineTables lines_;
  bool has_units_ = false;
  /// The number of ranges that may still be read, less than the file has bytes. In a damaged file,
  /// many DIEs may share one long list.
  std::size_t ranges_left_ = 0;
  std::vector<Unit> units_;
  std::vector<Range> ranges_;                           ///< sorted
  std::unordered_map<const char*, std::string> names_;  ///< by name in DWARF
  std::unordered_set<std::string> paths_;               ///< of sources of split units
};

}  // namespace evname::elf
