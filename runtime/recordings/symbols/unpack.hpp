#pragma once
// Files that are packed as a whole: the modules of kernels, .gnu_debugdata.

#include <string>

#include "base/read_file.hpp"
#include "recordings/symbols/budget.hpp"

namespace evname::symbols {

/// Returns a file without a name that has what gzip, bzip2, xz or zstd packed into another, which
/// is called `name` in messages. No descriptor: it is not packed so, is damaged, or has become more
/// than the budget allows.
Descriptor unpack(int packed, const std::string& name, Budget& budget);

}  // namespace evname::symbols
