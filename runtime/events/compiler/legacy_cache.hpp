#pragma once
// The kernel's generic cache events, which perf's build makes by a script: they are in no file of
// its source tree.

#include <vector>

#include "events/compiler/entry.hpp"

namespace evname::compiler {

/// One for each spelling: TYPE, TYPE-OP, TYPE-RESULT, TYPE-OP-RESULT. Those that say the same as
/// another one more plainly are marked as deprecated, as in perf.
std::vector<Entry> legacy_cache_entries();

}  // namespace evname::compiler
