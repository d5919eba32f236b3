// Replaces the functions that need elfutils in a build without it: it unwinds no stacks, and looks
// for no modules of the kernel.

#include "recordings/symbols/elf_search.hpp"
#include "recordings/symbols/unwinder.hpp"

namespace evname::symbols {

std::unique_ptr<ElfSymbols> find_module(const SymbolSearch&) { return nullptr; }

struct Unwinder::State {};

Unwinder::Unwinder(const Symbols&) {}
Unwinder::~Unwinder() = default;
void Unwinder::unwind(const StackCopy&, const FindMapping&, std::size_t,
                      std::vector<std::uint64_t>&) {}
bool Unwinder::returns_by_link(const StackCopy&, const FindMapping&, std::uint64_t) {
  return false;
}

}  // namespace evname::symbols
