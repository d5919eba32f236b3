#pragma once
// Files packed by zstd, which not every build of elfutils unpacks.

#include <string>

namespace evname::symbols {

/// A descriptor of what a file has packed, in memory; -1: it isn't packed so, is damaged, or larger
/// than any module. The caller closes it.
int unzstd(const std::string& path);

}  // namespace evname::symbols
