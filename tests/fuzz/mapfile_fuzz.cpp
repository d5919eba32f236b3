// mapfile.csv.

#include "compiler/mapfile.hpp"
#include "fuzz/input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const evname::fuzz::MemoryFile input(evname::fuzz::text_of(data, size));
  for (const char* arch : {"x86", "arm64", "s390"}) {
    evname::compiler::Diagnostics diagnostics;
    evname::compiler::lint_mapfile(arch, evname::compiler::read_mapfile(input.path(), diagnostics),
                                   diagnostics);
    for (const auto& diagnostic : diagnostics.all()) diagnostics.text(diagnostic);
  }
  return 0;
}
