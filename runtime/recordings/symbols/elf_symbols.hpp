#pragma once
// The symbols of ELF files, by where they are.

#include "recordings/symbols/elf_image.hpp"
#include "recordings/symbols/symbol_table.hpp"

namespace evname::symbols {

/// What the places of symbols are.
enum class Layout : std::uint8_t {
  file,       ///< offsets in the file that is mapped
  addresses,  ///< as they are: of a kernel's image
  module,     ///< offsets from .text, which is a kernel's module's first code in memory
};

/// Those of `symbols`, whose addresses are those of `runtime`: the same file, or the one it was
/// stripped of (dso__load_sym of tools/perf/util/symbol-elf.c). Names stay in the images.
struct ElfNames {
  const ElfImage& symbols;
  const ElfImage& runtime;
  bool packed = false;  ///< `symbols` is of .gnu_debugdata, without what .dynsym has
  Layout layout = Layout::file;
  bool demangle = true;
};
SymbolTable read_elf_symbols(const ElfNames& names);

/// Adds the stubs that lead to functions of other files: "NAME@plt"
/// (dso__synthesize_plt_symbols of tools/perf/util/symbol-elf.c).
void add_stubs(const ElfImage& image, SymbolTable& table);

}  // namespace evname::symbols
