#pragma once
// Who may use a file.

#include <sys/stat.h>
#include <sys/types.h>

#include <string>
#include <vector>

namespace evname {
inline namespace base {

/// How open a file may be that is made from others: not more than each of them.
class FileAccess {
 public:
  /// `path` "-" is standard input. What is neither a file nor a directory, or is not there, limits
  /// nothing.
  void limit_to(const std::string& path);

  /// The bits of `mode` that may stay, for a file of that group. Its owner's always do.
  mode_t allowed(mode_t mode, gid_t group) const;

 private:
  struct Source {
    mode_t mode;
    gid_t group;
  };
  std::vector<Source> sources_;
};

}  // namespace base
}  // namespace evname
