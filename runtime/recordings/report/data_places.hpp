#pragma once
// Finds the data of memory accesses: cache lines, files and symbols.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/text_pool.hpp"
#include "recordings/locations/location_cache.hpp"

namespace evname::report {

/// Cache lines by number. A line is identified by file and offset or, in private memory without a
/// file, by process and address: sort__dcacheline_cmp of tools/perf/util/sort.c.
class LinePool {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  struct Line {
    std::uint32_t owner = 0;    ///< the file, or the process that has the memory
    std::uint64_t offset = 0;   ///< in the owner
    std::uint64_t address = 0;  ///< of the line at its first access
  };

  /// Returns the number of a file, or of memory, in a mode of the CPU; `pid`: -1 if processes share
  /// it.
  std::uint32_t owner(std::uint32_t dso, std::uint32_t mode, std::int32_t pid) {
    return owners_.child(owners_.child(PairTree::kRoot, dso),
                         pid < 0 ? 0x80000000 | mode : static_cast<std::uint32_t>(pid));
  }
  std::uint32_t id(std::uint32_t owner, std::uint64_t offset, std::uint64_t address) {
    const auto [line, is_new] = numbers_.add({owner, offset});
    if (is_new) lines_.push_back({owner, offset, address});
    return line;
  }
  const Line& operator[](std::uint32_t id) const { return lines_[id]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(lines_.size()); }
  /// Returns the process that owns the line's memory; -1 if it is shared.
  std::int32_t pid_of(const Line& line) const {
    const std::uint32_t value = owners_[line.owner].value;
    return value >= 0x80000000 ? -1 : static_cast<std::int32_t>(value);
  }
  /// Returns the number of the line's file in `dsos`.
  std::uint32_t dso_of(const Line& line) const { return owners_[owners_[line.owner].parent].value; }

  TextPool dsos;  ///< files as perf shows them, and their build ids; the first stands for no file

 private:
  PairTree owners_;                                           ///< files, then processes or modes
  Numbers<std::pair<std::uint32_t, std::uint64_t>> numbers_;  ///< by owner and offset
  std::vector<Line> lines_;
};

/// Finds the data of samples, in one pass.
class DataPlaces {
 public:
  /// All outlive the object.
  DataPlaces(const Recording& file, const Symbols& symbols, LinePool& lines, TextPool& texts);

  struct Place {
    std::uint32_t line = LinePool::kNone;  ///< in the pool; kNone: the sample has no address
    std::uint32_t offset = 0;              ///< in the line
    bool is_mapped = false;
  };
  Place place(const Sample& sample);

  // Numbers of texts; see SortKey.
  std::uint32_t line_text(const Sample& sample);
  std::uint32_t symbol_text(const Sample& sample);
  std::uint32_t address_text(const Sample& sample);
  std::uint32_t dso_text(const Sample& sample);

  /// Returns a line in words: "libc.so.6+0x1c40", "0x7ffd10c0", "0x55d0c0 (1234)" for memory of a
  /// process.
  static std::string text_of(const LinePool& lines, std::uint32_t line);

 private:
  struct Found {
    locations::RecentRanges::Range* range = nullptr;
    std::uint64_t address = 0;
    bool kernel = false, has_file = false;
    std::uint32_t owner = 0;
  };
  /// Returns nullptr if the sample has no address.
  const Found* find(const Sample& sample);
  const Locations::Named& location(const Sample& sample);

  LinePool& lines_;
  TextPool& texts_;
  locations::LocationCache locations_;
  std::uint64_t line_size_;
  HashMap<const session::Dso*, TextPool::Id> dsos_;         ///< in LinePool::dsos
  std::vector<std::uint32_t> line_texts_;                   ///< by line
  HashMap<const session::Dso*, TextPool::Id> shown_names_;  ///< in texts_
  Found found_;
};

}  // namespace evname::report
