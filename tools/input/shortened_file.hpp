#pragma once
// Files that become shorter while they are read.

#include <string>

namespace evname::tools {

/// From now on a file that another process has shortened ends this process with a message and
/// kUnusable; what is read of the part that went away would else end it by a signal. `path` is of
/// the file that is about to be read.
void watch_for_shortened_files(const std::string& path);

}  // namespace evname::tools
