#include "base/output_target.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <random>
#include <string_view>

#include "base/text.hpp"

namespace evname {
inline namespace base {
namespace {

constexpr int kMostLinks = 40;  // as in the kernel

/// The descriptor that a path stands for, with /proc or without; -1: none.
int descriptor_of(std::string_view path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const char* const end = path.data() + path.size();
    int number = -1;
    const auto [stop, error] = std::from_chars(path.data() + folder.size(), end, number);
    if (error == std::errc{} && stop == end && number >= 0) return number;
  }
  return -1;
}

/// The path that a symbolic link holds; "": it is none.
std::string link_target(const std::string& path) {
  char target[PATH_MAX];
  const ssize_t size = ::readlink(path.c_str(), target, sizeof target);
  if (size <= 0) return {};
  const std::string to(target, static_cast<std::size_t>(size));
  return to.starts_with('/') ? to : directory_of(path) + "/" + to;
}

bool is_same_file(const std::string& path, const struct stat& status) {
  struct stat found;
  return ::lstat(path.c_str(), &found) == 0 && found.st_dev == status.st_dev &&
         found.st_ino == status.st_ino;
}

Result<OutputTarget> replaced_file(OutputTarget target, const std::string& path) {
  const bool read_only = (target.status.st_mode & 0222) == 0;
  if (read_only || ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0)
    return fail(Errc::io, std::strerror(EACCES), path, read_only ? "the file is read-only" : "");
  target.kind = OutputTarget::Kind::replaced;
  return target;
}

}  // namespace

tl::unexpected<Error> write_error(const std::string& path) {
  return fail(Errc::io, std::strerror(errno), path);
}

std::string directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_beside(const std::string& path) {
  constexpr std::size_t kLongest = 200;  // a name has 255 bytes at most
  const std::string name(last_part(path).substr(0, kLongest));
  std::random_device random;
  return fmt::format("{}/.{}.{:08x}{:08x}", directory_of(path), name, random(), random());
}

Result<OutputTarget> find_output_target(const std::string& path) {
  OutputTarget target;
  target.path = path;
  for (int links = 0; links <= kMostLinks; ++links) {
    target.descriptor = descriptor_of(target.path);
    if (target.descriptor >= 0) {
      target.kind = OutputTarget::Kind::descriptor;
      return target;
    }
    const std::string to = link_target(target.path);
    if (to.empty()) break;
    target.path = to;
  }
  if (::stat(path.c_str(), &target.status) != 0) {
    if (errno != ENOENT) return write_error(path);
    return target;
  }
  if (S_ISREG(target.status.st_mode) && is_same_file(target.path, target.status))
    return replaced_file(std::move(target), path);
  // Links of /proc lead to files of other names, or of none.
  target.path = path;
  target.kind = OutputTarget::Kind::in_place;
  return target;
}

}  // namespace base
}  // namespace evname
