#pragma once
// Reading the symbols of ELF files into a table.

#include "recordings/symbols/elf_image.hpp"
#include "recordings/symbols/symbol_table.hpp"

namespace evname::symbols {

/// How a table places symbols.
enum class Layout : std::uint8_t {
  file,       ///< by their offsets in the mapped file
  addresses,  ///< by their addresses, as in a kernel's image
  module,     ///< by their offsets from .text, with which a kernel's module begins in memory
};

/// The files to read. `runtime` has the addresses: it is the same file as `symbols`, or the one
/// that `symbols` was stripped from.
struct ElfNames {
  const ElfImage& symbols;
  const ElfImage& runtime;
  bool packed = false;  ///< `symbols` is of .gnu_debugdata, without what .dynsym has
  Layout layout = Layout::file;
  bool demangle = true;
  Budget& budget;
};
/// Reads the symbols as dso__load_sym of tools/perf/util/symbol-elf.c does. Names stay in the
/// images.
SymbolTable read_elf_symbols(const ElfNames& names);

/// Adds the stubs that lead to functions of other files: "NAME@plt"
/// (dso__synthesize_plt_symbols of tools/perf/util/symbol-elf.c).
void add_stubs(const ElfImage& image, SymbolTable& table, Budget& budget);

}  // namespace evname::symbols
