#pragma once
// What the path of an output file leads to.

#include <sys/stat.h>

#include <optional>
#include <string>

#include "evname/error.hpp"

namespace evname {
inline namespace base {

/// "No such file or directory", as the error of a path; from errno.
tl::unexpected<Error> write_error(const std::string& path);

/// "." for a name alone.
std::string directory_of(const std::string& path);

/// A name beside `path` that nobody can foresee.
std::string name_beside(const std::string& path);

/// Where the bytes of an output file go.
struct OutputTarget {
  enum class Kind {
    descriptor,  ///< to one that this process was given: "-", /dev/stdout, /dev/fd/3
    in_place,    ///< to what is there: a pipe, a device, a file that no path leads to
    replaced,    ///< to a new file, which takes the place of the one that is there
    absent,      ///< to a new file
  };
  Kind kind = Kind::absent;
  std::string path;         ///< where symbolic links lead to
  int descriptor = -1;      ///< if kind is descriptor
  struct stat status = {};  ///< if kind is replaced
};

/// Errors: io, for a directory and for a regular file that is read-only, too.
Result<OutputTarget> find_output_target(const std::string& path);

}  // namespace base
}  // namespace evname
