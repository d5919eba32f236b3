// The table of functions of a Go program, by itself and as a section of an ELF file.

#include <cstdlib>
#include <string>

#include "fuzz/file_tree.hpp"
#include "fuzz/input.hpp"
#include "fuzz/target.hpp"
#include "recordings/go/go_symbols.hpp"
#include "recordings/go/go_table.hpp"

namespace evname::fuzz::go_table_target {

FUZZ_TARGET(go_table, data, size) {
  using evname::go::GoTable;
  evname::elf::Budget budget;
  if (const auto image = evname::elf::ElfImage::of_memory(data, size, "image", budget)) {
    const auto go = evname::go::GoSymbols::of(*image);
    if (!go) return 0;
    evname::elf::SymbolTable symbols;
    go->add_functions(symbols);
    std::vector<evname::Frame> frames;
    for (const std::uint64_t address : {0x401000U, 0x401010U, 0x401020U, 0x40103fU})
      go->frames(address, {}, {.inlines = true, .lines = true}, frames);
    return 0;
  }
  auto table = GoTable::read({data, size});
  if (!table) return 0;
  table->set_inlined_calls(evname::Bytes(data, size).subspan(size / 2));
  for (std::size_t i = 0; i < table->size(); ++i) {
    const GoTable::Function function = table->function(i);
    if (!function.name) continue;
    if (function.start >= function.end) std::abort();
    for (const std::uint64_t offset : {0, 0x10}) table->calls(function.start + offset, true);
  }
  return 0;
}

}  // namespace evname::fuzz::go_table_target
