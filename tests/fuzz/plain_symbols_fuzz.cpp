// Symbols that are no ELF file's. The first byte says what follows: kallsyms, the map or the dump
// of a JIT compiler, the notes of a kernel, a name to demangle.

#include <cstdlib>

#include "base/file_identity.hpp"
#include "fuzz/input.hpp"
#include "fuzz/target.hpp"
#include "recordings/elf/symbol_table.hpp"
#include "recordings/symbols/code_history.hpp"
#include "recordings/symbols/plain_symbols.hpp"

namespace evname::fuzz::plain_symbols_target {

namespace {

using Symbols = evname::Result<evname::elf::SymbolTable>;

Symbols read_kallsyms(const std::string& path) {
  evname::elf::Budget budget;
  (void)evname::symbols::read_kallsyms(path, budget, true);
  return evname::symbols::read_kallsyms(path, budget);
}

Symbols read_perf_map(const std::string& path) {
  evname::elf::Budget budget;
  return evname::symbols::read_perf_map(path, budget);
}

/// Looks for code, its lines and its tables, at known and unknown times.
void read_jitdump(const std::string& path) {
  using evname::symbols::CodeHistory;
  const auto history = CodeHistory::read(path);
  if (!history) return;
  for (const std::uint64_t address : {0ULL, 0x1001ULL, 0x1008ULL, 0x2004ULL, ~0ULL})
    for (const std::uint64_t time : {0ULL, 3ULL, 5ULL, ~0ULL}) {
      evname::Mapping mapping;
      mapping.time = mapping.counter = time;
      const evname::symbols::CodeTime when(mapping);
      history->epoch(when);
      const CodeHistory::Code* const code = history->find(address, when);
      if (!code) continue;
      if (!history->has(address) || address < code->start || address >= code->end) std::abort();
      history->name(*code);
      history->line(*code, address);
      history->unwinding(*code);
    }
}

}  // namespace

FUZZ_TARGET(plain_symbols, data, size) {
  namespace fuzz = evname::fuzz;
  namespace symbols = evname::symbols;
  if (size == 0) return 0;
  const std::string_view content = fuzz::text_of(data + 1, size - 1);
  constexpr Symbols (*kReaders[])(const std::string&) = {read_kallsyms, read_perf_map};
  elf::Budget budget;
  const std::size_t which = data[0] % (std::size(kReaders) + 3);
  if (which == std::size(kReaders)) {
    read_jitdump(fuzz::MemoryFile(content).path());
  } else if (which == std::size(kReaders) + 1) {
    evname::build_id_of_notes({data + 1, size - 1});
  } else if (which > std::size(kReaders)) {
    elf::demangle(std::string(content).c_str(), budget);
  } else {
    const fuzz::MemoryFile input(content);
    const auto table = kReaders[which](input.path());
    if (!table) return 0;
    for (const std::uint64_t address : {0ULL, 0x1008ULL, 0xffffffff81000011ULL, ~0ULL})
      if (const elf::Symbol* symbol = table->find(address)) elf::shown_name(*symbol, budget);
  }
  return 0;
}

}  // namespace evname::fuzz::plain_symbols_target
