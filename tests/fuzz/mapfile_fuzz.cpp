// mapfile.csv.

#include "events/trees/tree.hpp"
#include "fuzz/input.hpp"
#include "fuzz/target.hpp"

namespace evname::fuzz::mapfile_target {

FUZZ_TARGET(mapfile, data, size) {
  const evname::fuzz::MemoryFile input(evname::fuzz::text_of(data, size));
  for (const char* arch : {"x86", "arm64", "s390"}) {
    evname::trees::Diagnostics diagnostics;
    evname::trees::lint_mapfile(arch, evname::trees::read_mapfile(input.path(), diagnostics),
                                diagnostics);
    for (const auto& diagnostic : diagnostics.all()) diagnostics.text(diagnostic);
  }
  return 0;
}

}  // namespace evname::fuzz::mapfile_target
