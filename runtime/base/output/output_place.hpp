#pragma once
// Finds out where an output goes and who may read it, and blocks signals until it is complete.

#include <sys/stat.h>

#include <csignal>
#include <string>
#include <string_view>
#include <vector>

#include "evname/error.hpp"

namespace evname {
inline namespace base {

/// Returns "No such file or directory", as the error of a path; from errno.
tl::unexpected<Error> write_error(const std::string& path);

/// Returns an unpredictable name in the directory of `path`.
std::string name_beside(const std::string& path);

bool is_same_file(const struct stat& a, const struct stat& b);

/// Makes SIGHUP, SIGINT and SIGTERM wait for this thread as long as it exists, unless they are
/// ignored anyway.
class DeferredSignals {
 public:
  DeferredSignals();
  ~DeferredSignals();
  DeferredSignals(const DeferredSignals&) = delete;
  DeferredSignals& operator=(const DeferredSignals&) = delete;

  /// Returns true if one of them has come.
  bool pending() const;

 private:
  sigset_t deferred_, before_;
};

/// The mode of an output, which gives no more rights than any of its inputs.
class Access {
 public:
  /// A path that does not exist, or is neither a file nor a directory, limits nothing.
  void limit_to(const std::string& path);
  /// Returns the bits of `mode` that a file of that group may have. The owner's bits are always
  /// kept.
  mode_t allowed(mode_t mode, gid_t group) const;

 private:
  struct Source {
    mode_t mode;
    gid_t group;
  };
  std::vector<Source> sources_;
};

/// The place that the bytes of an output file go to.
struct Target {
  enum class Kind {
    descriptor,  ///< to one that this process was given
    in_place,    ///< to an existing pipe, device, or file that no path leads to
    replaced,    ///< to a new file, which replaces the existing one
    absent,      ///< to a new file
  };
  Kind kind = Kind::absent;
  std::string path;         ///< where symbolic links lead to
  int descriptor = -1;      ///< if kind is descriptor
  struct stat status = {};  ///< if kind is replaced

  bool is_new() const { return kind == Kind::replaced || kind == Kind::absent; }
};

/// Returns the descriptor that a path stands for, with /proc or without; -1: none.
int descriptor_of(std::string_view path);

/// Finds where the bytes of an output go. Errors: io, also for a directory and for a regular file
/// that is read-only.
Result<Target> find_target(const std::string& path);

}  // namespace base
}  // namespace evname
