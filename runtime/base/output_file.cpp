#include "base/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "evname/write_file.hpp"

namespace evname {
inline namespace base {
namespace {

constexpr mode_t kNew = 0666, kPrivate = 0600;
constexpr std::size_t kChunk = 1 << 24;  // a signal waits that long
constexpr std::size_t kBuffer = 1 << 18;
constexpr int kTries = 100;
constexpr int kPatience = 50;  // ms

/// Can a file without a name get one?
bool can_be_named(int fd) {
  return ::access(fmt::format("/proc/self/fd/{}", fd).c_str(), F_OK) == 0;
}

/// Is more said of it than owner, group and mode do?
bool has_access_list(const std::string& path) {
  return ::getxattr(path.c_str(), "system.posix_acl_access", nullptr, 0) > 0;
}

/// Takes the room that a file will need, before anything of it is lost. False: errno says why not.
bool has_room(int fd, off_t size) {
  return size == 0 || ::fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, size) == 0 || errno == EOPNOTSUPP ||
         errno == ENOSYS;
}

/// Is its name on the disk, too? Where nobody can tell, it is as good as it gets.
void sync_directory(const std::string& path) {
  const int fd = ::open(directory_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

}  // namespace

OutputFile::OutputFile(std::string path, OutputTarget target, FileAccess access)
    : path_(std::move(path)), target_(std::move(target)), access_(std::move(access)) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      access_(std::move(other.access_)),
      temporary_(std::exchange(other.temporary_, {})),
      fd_(std::exchange(other.fd_, -1)),
      signals_(std::move(other.signals_)) {}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<OutputFile> OutputFile::create(const std::string& path, const FileAccess& access) {
  auto target = find_output_target(path);
  if (!target) return tl::unexpected(target.error());
  OutputFile out(path == "-" ? "standard output" : path, *std::move(target), access);
  Result<void> opened;
  if (out.is_new()) {
    opened = out.open_new();
  } else {
    out.fd_ = out.target_.kind == Kind::descriptor
                  ? ::fcntl(out.target_.descriptor, F_DUPFD_CLOEXEC, 0)
                  : ::open(path.c_str(), O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);
    if (out.fd_ < 0) opened = write_error(path);
  }
  if (!opened) return tl::unexpected(opened.error());
  return out;
}

Result<void> OutputFile::open_new() {
  const mode_t mode =
      target_.kind == Kind::replaced ? kPrivate : access_.allowed(kNew, ::getegid());
  const std::string directory = directory_of(target_.path);
  fd_ = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
  if (fd_ >= 0 && !can_be_named(fd_)) ::close(std::exchange(fd_, -1));
  if (fd_ < 0) signals_ = std::make_unique<DeferredSignals>();
  for (int tries = 0; fd_ < 0; ++tries) {
    std::string name = name_beside(target_.path);
    fd_ = ::open(name.c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, mode);
    if (fd_ >= 0)
      temporary_ = std::move(name);
    else if (errno != EEXIST || tries == kTries)
      return write_error(path_);
  }
  struct stat status;  // of another group in a directory that passes its own on
  if (target_.kind == Kind::absent && ::fstat(fd_, &status) == 0)
    ::fchmod(fd_, access_.allowed(status.st_mode & 0777, status.st_gid));
  return {};
}

Result<void> OutputFile::interrupted() const {
  if (signals_ && signals_->pending()) return fail(Errc::io, std::strerror(EINTR), path_);
  return {};
}

Result<void> OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    if (auto fine = interrupted(); !fine) return fine;
    const ssize_t done = ::write(fd_, bytes.data(), std::min(bytes.size(), kChunk));
    if (done > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(done));
    } else if (done < 0 && errno == EAGAIN) {
      pollfd ready{fd_, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (done < 0 && errno != EINTR) {
      return write_error(path_);
    }
  }
  return {};
}

Result<void> OutputFile::wait_for(int source) const {
  pollfd ready{source, POLLIN, 0};
  while (signals_ && ::poll(&ready, 1, kPatience) == 0)
    if (auto fine = interrupted(); !fine) return fine;
  return {};
}

/// By the kernel, as far as it can between these files: all, or up to `end`.
Result<void> OutputFile::copy_range(int source, off_t& from, off_t end) {
  while (is_new() && from < end) {
    if (auto fine = interrupted(); !fine) return fine;
    const auto size = static_cast<std::size_t>(std::min<off_t>(end - from, kChunk));
    const ssize_t got = ::copy_file_range(source, &from, fd_, nullptr, size, 0);
    if (got == 0 || (got < 0 && errno != EINTR)) break;
  }
  return {};
}

Result<void> OutputFile::copy(int source, std::uint64_t offset, Bytes bytes) {
  const auto start = static_cast<off_t>(offset);
  off_t from = start;
  if (source >= 0)
    if (auto done = copy_range(source, from, start + static_cast<off_t>(bytes.size())); !done)
      return done;
  const Bytes rest = bytes.subspan(static_cast<std::size_t>(from - start));
  return write({reinterpret_cast<const char*>(rest.data()), rest.size()});
}

Result<void> OutputFile::copy_rest(int source, off_t from) {
  std::vector<char> buffer(kBuffer);
  for (;;) {
    const ssize_t got = ::pread(source, buffer.data(), buffer.size(), from);
    if (got == 0) return {};
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return write_error(path_);
    if (auto done = write({buffer.data(), static_cast<std::size_t>(got)}); !done) return done;
    from += got;
  }
}

Result<void> OutputFile::copy_file(const std::string& path) {
  const int source = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (source < 0) return write_error(path);
  struct stat status = {};
  Result<void> done;
  if (::fstat(source, &status) != 0 || !S_ISREG(status.st_mode))
    done = fail(Errc::unsupported, "neither a file nor a directory", path);
  off_t from = 0;
  if (done) done = copy_range(source, from, status.st_size);
  if (done) done = copy_rest(source, from);
  ::close(source);
  return done;
}

// Pipes and many devices have nothing to wait for.
Result<void> OutputFile::sync(int file) const {
  if (::fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS) return {};
  return write_error(path_);
}

/// Owner and mode as they were. False: only the file itself can keep them.
Result<bool> OutputFile::take_over_access() {
  struct stat mine;
  const struct stat& old = target_.status;
  if (::fstat(fd_, &mine) != 0) return write_error(path_);
  const bool same = mine.st_uid == old.st_uid && mine.st_gid == old.st_gid;
  if (!same && ::fchown(fd_, old.st_uid, old.st_gid) != 0) return false;
  if (has_access_list(target_.path)) return false;
  return ::fchmod(fd_, access_.allowed(old.st_mode & 0777, old.st_gid)) == 0;
}

// A file can't be linked over another, so it gets a name of its own first.
Result<void> OutputFile::name_it() {
  const std::string self = fmt::format("/proc/self/fd/{}", fd_);
  const auto link = [&](const std::string& name) {
    return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  };
  signals_ = std::make_unique<DeferredSignals>();
  for (int tries = 0; temporary_.empty(); ++tries) {
    std::string name = name_beside(target_.path);
    if (link(name))
      temporary_ = std::move(name);
    else if (errno != EEXIST || tries == kTries)
      return write_error(path_);
  }
  return {};
}

/// The content to the file that is there: it is another's, say, or mounted there by itself.
Result<void> OutputFile::write_over() {
  OutputFile out(path_, target_, access_);
  out.target_.kind = Kind::in_place;
  out.fd_ = ::open(target_.path.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
  struct stat status;
  if (out.fd_ < 0 || ::fstat(out.fd_, &status) != 0) return write_error(path_);
  const mode_t mode = status.st_mode & 0777, less = access_.allowed(mode, status.st_gid);
  const off_t size = ::lseek(fd_, 0, SEEK_CUR);
  if (size < 0 || !has_room(out.fd_, size)) return write_error(path_);
  const bool opens = (mode & ~less & 0444) != 0;  // to readers; to writers it has been open before
  if (less != mode && ::fchmod(out.fd_, less) != 0 && opens) return write_error(path_);
  if (auto done = out.copy_rest(fd_, 0); !done) return done;
  if (::ftruncate(out.fd_, size) != 0) return write_error(path_);
  return out.commit();
}

Result<void> OutputFile::put_in_place() {
  if (temporary_.empty())
    if (auto named = name_it(); !named) return named;
  if (std::rename(temporary_.c_str(), target_.path.c_str()) != 0)
    return errno == EBUSY && target_.kind == Kind::replaced ? write_over() : write_error(path_);
  temporary_.clear();
  sync_directory(target_.path);
  return {};
}

Result<void> OutputFile::commit() {
  if (auto fine = interrupted(); !fine) return fine;
  if (target_.kind == Kind::replaced) {
    const auto kept = take_over_access();
    if (!kept) return tl::unexpected(kept.error());
    if (!*kept) return write_over();
  }
  if (auto done = sync(fd_); !done) return done;
  if (is_new())
    if (auto done = put_in_place(); !done) return done;
  if (::close(std::exchange(fd_, -1)) != 0 && errno != EINTR) return write_error(path_);
  signals_.reset();
  return {};
}

}  // namespace base

Result<void> write_file(const std::string& path, std::string_view text,
                        std::span<const std::string> made_from) {
  FileAccess access;
  for (const std::string& source : made_from) access.limit_to(source);
  auto out = OutputFile::create(path, access);
  if (!out) return tl::unexpected(out.error());
  const auto done = out->write(text);
  return done ? out->commit() : done;
}

}  // namespace evname
