#pragma once
// Writing a file without harm to what was there.

#include <span>
#include <string>
#include <string_view>

#include "evname/error.hpp"
#include "evname/export.h"

namespace evname {

/// Writes `text` to `path`; "-" is standard output. A regular file, or one that isn't there yet, is
/// written beside its place and moved there when it is complete and on the disk: it has its new
/// content, or still the old one. It keeps its owner and mode; symbolic links are followed. Pipes,
/// devices and /dev/fd/N are written to as they are. The file is readable and writable for no group
/// and no others that one of `made_from` is closed to: paths of files or directories, "-" for
/// standard input. Errors: io; a file that is read-only is not replaced.
EVNAME_API Result<void> write_file(const std::string& path, std::string_view text,
                                   std::span<const std::string> made_from = {});

}  // namespace evname
