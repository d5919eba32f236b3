#pragma once
// Lists of symbols that a recording has of its own, file by file: those that simpleperf recorded.
//
//     u32 kSymbolLists, then of each file:
//       its path, u64 shift, u64 base (1: counts_from_mapping), u64 number of symbols, each:
//         u64 start, u64 size, name
//
// All numbers are little-endian; a text ends with NUL.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace evname::perf_format {

/// The first number of such lists; see Mapping::names for other names.
inline constexpr std::uint32_t kSymbolLists = 2;

/// A function of a list, by the address that its file has for it.
struct ListedSymbol {
  std::uint64_t start = 0, size = 0;
  std::string_view name;
};

/// The symbols of one file. All views are of what was read.
struct SymbolList {
  std::string_view path;
  std::uint64_t shift = 0;           ///< place = address + shift
  bool counts_from_mapping = false;  ///< places count from the start of the mapping, not the file
  std::vector<ListedSymbol> symbols = {};
};

/// Appends a list to others (nullptr: to none).
std::shared_ptr<const std::string> with_lists(const std::shared_ptr<const std::string>& others,
                                              const std::vector<SymbolList>& lists);

/// Returns true if `text` has lists of symbols.
bool has_symbol_lists(std::string_view text);

/// Reads what with_lists() returned.
std::vector<SymbolList> read_symbol_lists(std::string_view text);

}  // namespace evname::perf_format
