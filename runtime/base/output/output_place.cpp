#include "base/output/output_place.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>

#include "base/text.hpp"

namespace evname {
inline namespace base {
namespace {

constexpr int kSignals[] = {SIGHUP, SIGINT, SIGTERM};
constexpr int kMostLinks = 40;  // as in the kernel

/// Returns the path that a symbolic link holds; "": it is none.
std::string link_target(const std::string& path) {
  char target[PATH_MAX];
  const ssize_t size = ::readlink(path.c_str(), target, sizeof target);
  if (size <= 0) return {};
  const std::string to(target, static_cast<std::size_t>(size));
  return to.starts_with('/') ? to : directory_of(path) + "/" + to;
}

}  // namespace

tl::unexpected<Error> write_error(const std::string& path) {
  return fail(Errc::io, std::strerror(errno), path);
}

std::string name_beside(const std::string& path) {
  constexpr std::size_t kLongest = 200;  // a name has 255 bytes at most
  const std::string name(last_part(path).substr(0, kLongest));
  std::random_device random;
  return fmt::format("{}/.{}.{:08x}{:08x}", directory_of(path), name, random(), random());
}

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

DeferredSignals::DeferredSignals() {
  sigemptyset(&deferred_);
  for (const int signal : kSignals) {
    struct sigaction action;
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
      sigaddset(&deferred_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &deferred_, &before_);
}

DeferredSignals::~DeferredSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

bool DeferredSignals::pending() const {
  sigset_t arrived;
  if (sigpending(&arrived) != 0) return false;
  return std::ranges::any_of(kSignals, [&](int signal) {
    return sigismember(&deferred_, signal) == 1 && sigismember(&arrived, signal) == 1;
  });
}

void Access::limit_to(const std::string& path) {
  struct stat status;
  const int failed = path == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status);
  if (failed != 0 || !(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))) return;
  // Readers of a file may execute it, too.
  const mode_t runs = S_ISREG(status.st_mode) ? (status.st_mode & 0444) >> 2 : 0;
  sources_.push_back({status.st_mode | runs, status.st_gid});
}

mode_t Access::allowed(mode_t mode, gid_t group) const {
  for (const Source& source : sources_) {
    const mode_t others = source.mode & 07;
    const mode_t members = source.group == group ? source.mode & 070 : others << 3;
    mode &= 07700 | members | others;
  }
  return mode;
}

int descriptor_of(std::string_view path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"})
    if (path.starts_with(folder))
      if (const auto number = parse_decimal(path.substr(folder.size()));
          number && *number <= INT_MAX)
        return static_cast<int>(*number);
  return -1;
}

Result<Target> find_target(const std::string& path) {
  Target target;
  target.path = path;
  for (int links = 0; links <= kMostLinks; ++links) {
    target.descriptor = descriptor_of(target.path);
    if (target.descriptor >= 0) {
      target.kind = Target::Kind::descriptor;
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
  struct stat found;
  if (!S_ISREG(target.status.st_mode) || ::lstat(target.path.c_str(), &found) != 0 ||
      !is_same_file(found, target.status)) {
    target.path = path;  // links of /proc lead to files with other names or without names
    target.kind = Target::Kind::in_place;
    return target;
  }
  const bool read_only = (target.status.st_mode & 0222) == 0;
  if (read_only || ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0)
    return fail(Errc::io, std::strerror(EACCES), path, read_only ? "the file is read-only" : "");
  target.kind = Target::Kind::replaced;
  return target;
}

}  // namespace base
}  // namespace evname
