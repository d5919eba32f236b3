// Replaces the functions that read ELF files in a build without elfutils.

#include "base/text.hpp"
#include "recordings/symbols/elf_search.hpp"

namespace evname::symbols {

bool reads_elf() { return false; }

std::unique_ptr<ElfSymbols> find_elf_symbols(const elf::SymbolSearch& search) {
  search.tell(search.name + ": this build has no elfutils, so it reads no symbols of ELF files (" +
              install_hint("libdw-dev", "elfutils-devel") + ")");
  return nullptr;
}

std::unique_ptr<ElfSymbols> find_vmlinux(const elf::SymbolSearch&) { return nullptr; }
std::unique_ptr<ElfSymbols> find_module(const elf::SymbolSearch&) { return nullptr; }

}  // namespace evname::symbols
