#pragma once
// Writes to a descriptor.

#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace evname {
inline namespace base {

/// Writes all bytes. Returns false if it can't; errno has the reason.
inline bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(file, bytes.data(), bytes.size());
    if (done < 0 && errno != EINTR) return false;
    if (done > 0) bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

}  // namespace base
}  // namespace evname
