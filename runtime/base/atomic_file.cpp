#include "base/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace evname {
inline namespace base {
namespace {

tl::unexpected<Error> system_error(const std::string& path) {
  return fail(Errc::io, std::strerror(errno), path);
}

std::string directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

/// A name beside `path` that nobody else uses: each process has its own.
std::string temporary_name(const std::string& path) {
  return fmt::format("{}.{}.tmp", path, ::getpid());
}

}  // namespace

Result<AtomicFile> AtomicFile::create(const std::string& path) {
  constexpr mode_t kMode = 0666;  // less the umask
  if (path == "-") return AtomicFile(path, ::dup(STDOUT_FILENO), "");
  const int nameless = ::open(directory_of(path).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kMode);
  if (nameless >= 0) return AtomicFile(path, nameless, "");
  std::string name = temporary_name(path);
  const int fd = ::open(name.c_str(), O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, kMode);
  if (fd < 0) return system_error(path);
  return AtomicFile(path, fd, std::move(name));
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      fd_(std::exchange(other.fd_, -1)) {}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<void> AtomicFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd_, bytes.data(), bytes.size());
    if (done < 0 && errno != EINTR) return system_error(path_);
    if (done > 0) bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return {};
}

Result<void> AtomicFile::copy(int source, std::uint64_t offset, Bytes bytes) {
  off_t from = static_cast<off_t>(offset);
  std::size_t done = 0;
  while (source >= 0 && path_ != "-" && done < bytes.size()) {
    const ssize_t got = ::copy_file_range(source, &from, fd_, nullptr, bytes.size() - done, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;  // not between these file systems
    done += static_cast<std::size_t>(got);
  }
  const Bytes rest = bytes.subspan(done);
  return write({reinterpret_cast<const char*>(rest.data()), rest.size()});
}

// A file can't be linked over another, so it gets a name of its own first.
Result<void> AtomicFile::name_it() {
  std::string name = temporary_name(path_);
  const std::string self = fmt::format("/proc/self/fd/{}", fd_);
  ::unlink(name.c_str());
  if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0)
    return system_error(path_);
  temporary_ = std::move(name);
  return {};
}

Result<void> AtomicFile::commit() {
  if (path_ == "-") return {};
  if (temporary_.empty())
    if (auto named = name_it(); !named) return named;
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return system_error(path_);
  temporary_.clear();
  return {};
}

}  // namespace base
}  // namespace evname
