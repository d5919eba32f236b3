#include "base/file_access.hpp"

#include <unistd.h>

namespace evname {
inline namespace base {

void FileAccess::limit_to(const std::string& path) {
  struct stat status;
  const int failed = path == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status);
  if (failed != 0 || !(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))) return;
  // Who may read a file may have it executable, too.
  const mode_t runs = S_ISREG(status.st_mode) ? (status.st_mode & 0444) >> 2 : 0;
  sources_.push_back({status.st_mode | runs, status.st_gid});
}

mode_t FileAccess::allowed(mode_t mode, gid_t group) const {
  for (const Source& source : sources_) {
    const mode_t others = source.mode & 07;
    const mode_t members = source.group == group ? source.mode & 070 : others << 3;
    mode &= 07700 | members | others;
  }
  return mode;
}

}  // namespace base
}  // namespace evname
