#pragma once
// The symbols of a file by address. As in perf, one symbol is kept for each start address.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "recordings/elf/symbol_search.hpp"

namespace evname::elf {

struct Symbol {
  std::uint64_t start = 0, end = 0;  ///< start == end: its size is unknown
  const char* name = "";             ///< as in the file; ready to show if not `mangled`
  std::uint8_t type = 0;             ///< STT_*
  std::uint8_t binding = 0;          ///< STB_*
  bool mangled = false;              ///< it may have to be demangled
  bool indirect = false;             ///< another symbol of its address is of STT_GNU_IFUNC
  bool stub = false;                 ///< a stub of a function of that name: "NAME@plt"
};

// ELF's own numbers, so that tables can be made without its headers.
inline constexpr std::uint8_t kNoType = 0, kObject = 1, kFunction = 2, kIndirect = 10;
inline constexpr std::uint8_t kLocal = 0, kGlobal = 1, kWeak = 2;

class SymbolTable {
 public:
  /// The names of symbols at one address are demangled to compare them, which the budget limits.
  explicit SymbolTable(Budget* budget = nullptr) : budget_(budget) {}

  /// Reserves room for so many symbols, which takes no memory until they are added.
  void reserve(std::size_t count) { symbols_.reserve(count); }
  /// Adds a symbol. Its name must stay valid: see keep().
  void add(const Symbol& symbol) {
    if (!text_start_ && std::strcmp(symbol.name, "_text") == 0) text_start_ = symbol.start;
    symbols_.push_back(symbol);
  }
  /// Copies a name into the table.
  const char* keep(std::string_view name);

  /// Sorts the symbols. Symbols without a size end where the next begins, and one of each start
  /// address is left (symbols__fixup_end and symbols__fixup_duplicate of tools/perf/util/symbol.c).
  /// More may be added afterwards.
  void arrange();
  /// Sorts the symbols without changing them.
  void sort();
  /// Does the same as arrange() for kallsyms, where a module's last symbol does not extend to the
  /// next module.
  void arrange_kernel();

  /// Returns the symbol at an address, or nullptr. Call it only after arrange().
  const Symbol* find(std::uint64_t address) const;
  /// Returns a symbol that may be changed; likewise.
  Symbol* find(std::uint64_t address) {
    return const_cast<Symbol*>(static_cast<const SymbolTable&>(*this).find(address));
  }
  /// Returns the address of "_text", the start of a kernel, even if another symbol of its address
  /// was kept.
  std::optional<std::uint64_t> text_start() const { return text_start_; }
  bool empty() const { return symbols_.empty(); }
  std::size_t size() const { return symbols_.size(); }

 private:
  void put_in_order();
  void remove_duplicates();
  void measure_reach();
  bool is_better(const Symbol& one, const Symbol& other) const;

  Budget* budget_;  ///< nullptr: no name is mangled

  std::vector<Symbol> symbols_;
  std::optional<std::uint64_t> text_start_;
  std::vector<std::uint64_t> reach_;     ///< the farthest end of this and all earlier symbols
  std::deque<std::vector<char>> names_;  ///< blocks, which do not move; each name ends with 0
};

/// Returns true for a kernel's label outside of functions (tools/perf/util/symbol.h).
inline bool is_ignored_kernel_symbol(std::string_view name) {
  const char first = name.empty() ? '\0' : name[0];
  return first == '$' || (first == '.' && name.starts_with(".L")) ||
         (first == 'L' && name.starts_with("L0"));
}

/// Returns true if the symbol's function chooses the function of a relocation.
inline bool chooses_function(const Symbol& symbol) {
  return symbol.type == kIndirect || symbol.indirect;
}

/// Returns the name of a C++ or Rust function as in its source, without parameters' names and
/// Rust's hash; empty if it is of neither language, or becomes longer than compilers make names: a
/// hostile name may double with each letter.
std::string demangle(const char* name, Budget& budget);

/// Returns the name to show.
std::string shown_name(const Symbol& symbol, Budget& budget);

}  // namespace evname::elf
