#pragma once
// Reads the symbols of ELF files into a table.

#include <cstdint>
#include <functional>

#include "recordings/elf/elf_image.hpp"
#include "recordings/elf/symbol_table.hpp"

namespace evname::elf {

/// The addresses of symbols in a table.
enum class Layout : std::uint8_t {
  file,       ///< by their offsets in the mapped file
  addresses,  ///< by their addresses, as in a kernel's image
  module,     ///< by their offsets from .text, which is the start of a module in memory
};

/// The files to read. `runtime` has the addresses: it is the same file as `symbols`, or the file
/// that `symbols` belongs to.
struct ElfNames {
  const ElfImage& symbols;
  const ElfImage& runtime;
  bool packed = false;  ///< `symbols` comes from .gnu_debugdata, without the symbols of .dynsym
  Layout layout = Layout::file;
  bool demangle = true;
  Budget& budget;
};
/// Reads the symbols as dso__load_sym of tools/perf/util/symbol-elf.c does. Names stay in the
/// images.
SymbolTable read_elf_symbols(const ElfNames& names);

/// Adds the stubs of functions in other files: "NAME@plt" (dso__synthesize_plt_symbols of
/// tools/perf/util/symbol-elf.c).
void add_stubs(const ElfImage& image, SymbolTable& table, Budget& budget);

/// Returns a function that returns the symbol, as in the file, whose address the dynamic linker
/// writes to a slot of the file's GOT; "" if it writes none there. The function is for one thread
/// at a time, and must not outlive the image.
std::function<const char*(std::uint64_t slot)> slot_names(const ElfImage& image);

}  // namespace evname::elf
