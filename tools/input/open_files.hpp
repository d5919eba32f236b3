#pragma once
// How many files this process may have open.

#include <sys/resource.h>

namespace evname::tools {

/// Raises the limit of open files, since each counter is a file, and each program whose functions
/// are named stays open. A command that is started afterwards should get the original limit.
void allow_many_files();

/// Returns the limit of open files at evname's start.
const rlimit& original_file_limit();

}  // namespace evname::tools
