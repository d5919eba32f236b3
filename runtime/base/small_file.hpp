#pragma once
// Reading the small files of sysfs and procfs, in trees that nobody vouches for.

#include <cstddef>
#include <string>

#include "evname/error.hpp"

namespace evname {

/// The first `limit` bytes of a regular file; what follows them is not read. Never waits: a FIFO,
/// socket or device under the name of a file is refused (Errc::unsupported).
Result<std::string> read_head(const std::string& path, std::size_t limit = 4096);

/// True for a directory, also through symbolic links.
bool is_directory(const std::string& path);

}  // namespace evname
