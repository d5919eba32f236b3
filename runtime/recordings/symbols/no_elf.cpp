// In place of what needs elfutils.

#include "recordings/symbols/code_file.hpp"
#include "recordings/symbols/unwinder.hpp"

namespace evname::symbols {

bool reads_elf() { return false; }

std::unique_ptr<ElfCode> find_elf_code(const Search& search) {
  search.tell(search.name + ": this build has no elfutils, so it reads no symbols of ELF files");
  return nullptr;
}

std::unique_ptr<ElfCode> find_vmlinux(const Search&) { return nullptr; }
std::unique_ptr<ElfCode> find_module(const Search&) { return nullptr; }

struct Unwinder::State {};

Unwinder::Unwinder(const Symbols&) {}
Unwinder::~Unwinder() = default;
void Unwinder::unwind(const StackCopy&, const FindMapping&, std::size_t,
                      std::vector<std::uint64_t>&) {}

}  // namespace evname::symbols
