#include "base/output/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/output/output_place.hpp"
#include "base/output/write_progress.hpp"
#include "base/read_file.hpp"
#include "base/text.hpp"

namespace evname {
inline namespace base {
namespace {

constexpr mode_t kNew = 0666, kPrivate = 0600;
constexpr std::size_t kChunk = 1 << 24;  // a signal waits that long
constexpr std::size_t kBlock = 1 << 16;  // of any file system
constexpr std::size_t kBuffer = 1 << 18;
constexpr int kTries = 100;
constexpr int kPatience = 50;  // ms

/// Returns true for the kernel's own /sys, which has too many files to look at each.
bool is_in_sysfs(const std::string& path) {
  struct statfs system;
  return ::statfs(path.c_str(), &system) == 0 && system.f_type == SYSFS_MAGIC;
}

/// Returns true for an input, or a file in one that is a directory.
bool is_of_input(const struct stat& file, const std::string& input) {
  namespace fs = std::filesystem;
  struct stat found;
  const auto is_it = [&](const std::string& path) {
    return ::stat(path.c_str(), &found) == 0 && is_same_file(found, file);
  };
  if (is_it(input)) return true;
  if (!is_directory(input) || (found.st_dev != file.st_dev && is_in_sysfs(input))) return false;
  std::error_code error;
  for (fs::recursive_directory_iterator at(input, error), end; !error && at != end;
       at.increment(error))
    if (is_it(at->path())) return true;
  return false;
}

void limit_to(std::span<const std::string> sources, Access& access) {
  for (const std::string& source : sources) {
    access.limit_to(source);
    if (is_directory(source)) access.limit_to(source + "/data");
  }
}

/// Returns true if a file without a name can get one.
bool can_be_named(int fd) {
  return ::access(fmt::format("/proc/self/fd/{}", fd).c_str(), F_OK) == 0;
}

/// Returns true if an access list has more entries than owner, group and mode.
bool has_access_list(const std::string& path) {
  return ::getxattr(path.c_str(), "system.posix_acl_access", nullptr, 0) > 0;
}

/// Reserves the room that a file will need, before its old contents are lost. False: errno has the
/// reason.
bool has_room(int fd, off_t size) {
  return size == 0 || ::fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, size) == 0 || errno == EOPNOTSUPP ||
         errno == ENOSYS;
}

/// Waits until the name of a file is on the disk, if the file system can.
void sync_directory(const std::string& path) {
  const int fd = ::open(directory_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

}  // namespace

class OutputFile::State {
 public:
  State(std::string path, Target target, Access access, bool only_free)
      : path_(std::move(path)),
        target_(std::move(target)),
        access_(std::move(access)),
        only_free_(only_free) {}
  ~State() {
    if (fd_ >= 0) ::close(fd_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Result<void> open() {
    if (only_free_) signals_ = std::make_unique<DeferredSignals>();  // of its directory
    if (target_.is_new()) return open_new();
    fd_ = target_.kind == Target::Kind::descriptor
              ? ::fcntl(target_.descriptor, F_DUPFD_CLOEXEC, 0)
              : ::open(path_.c_str(), O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);
    if (fd_ < 0) return write_error(path_);
    return {};
  }

  WriteProgress& progress() { return progress_; }

  Result<void> go_on(std::uint64_t bytes) {
    if (auto fine = interrupted(); !fine) return fine;
    return progress_.go_on(bytes);
  }

  Result<void> write(std::string_view bytes) {
    while (!bytes.empty()) {
      if (auto fine = go_on(0); !fine) return fine;
      const ssize_t done = ::write(fd_, bytes.data(), std::min(bytes.size(), kChunk));
      if (done > 0) {
        progress_.wrote(static_cast<std::uint64_t>(done));
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

  bool can_replace() const { return target_.is_new(); }

  Result<void> is_also_made_from(std::span<const std::string> more) {
    if (!target_.is_new()) return {};  // the old contents are gone
    if (auto fine = check_replaceable(path_, more, true); !fine) return fine;
    limit_to(more, access_);
    limit_new();
    return {};
  }

  Result<void> replace(std::string_view bytes) {
    for (off_t at = 0; !bytes.empty();) {
      if (auto fine = interrupted(); !fine) return fine;
      const ssize_t done = ::pwrite(fd_, bytes.data(), std::min(bytes.size(), kChunk), at);
      if (done < 0 && errno != EINTR) return write_error(path_);
      if (done <= 0) continue;
      bytes.remove_prefix(static_cast<std::size_t>(done));
      at += done;
    }
    return {};
  }

  /// Copies by the kernel as far as it can between these files, up to `end`.
  Result<void> copy_range(int source, off_t& from, off_t end) {
    while (target_.is_new() && from < end) {
      if (auto fine = go_on(0); !fine) return fine;
      // Copies up to the end of a block first. If the place is the same in both files, whole blocks
      // follow, which some file systems share.
      const off_t in_block = from % off_t{kBlock};
      const off_t piece = in_block > 0 ? off_t{kBlock} - in_block : off_t{kChunk};
      const auto size = static_cast<std::size_t>(std::min(end - from, piece));
      const ssize_t got = ::copy_file_range(source, &from, fd_, nullptr, size, 0);
      if (got == 0 || (got < 0 && errno != EINTR)) break;
      if (got > 0) progress_.wrote(static_cast<std::uint64_t>(got));
    }
    return {};
  }

  Result<void> copy_rest(int source, off_t from) {
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

  Result<void> wait_for(int source) const {
    pollfd ready{source, POLLIN, 0};
    while (signals_ && ::poll(&ready, 1, kPatience) == 0)
      if (auto fine = interrupted(); !fine) return fine;
    return {};
  }

  Result<void> commit() {
    if (auto fine = interrupted(); !fine) return fine;
    if (target_.kind == Target::Kind::replaced) {
      const auto kept = take_over_access();
      if (!kept) return fail(kept);
      if (!*kept) return write_over();
    }
    if (::fsync(fd_) != 0 && !has_nothing_to_wait_for()) return write_error(path_);
    if (target_.is_new())
      if (auto done = put_in_place(); !done) return done;
    if (::close(std::exchange(fd_, -1)) != 0 && errno != EINTR) return write_error(path_);
    signals_.reset();
    return {};
  }

 private:
  Result<void> interrupted() const {
    if (signals_ && signals_->pending()) return fail(Errc::io, std::strerror(EINTR), path_);
    return {};
  }

  /// fsync() of pipes and many devices fails so.
  static bool has_nothing_to_wait_for() {
    return errno == EINVAL || errno == ENOTSUP || errno == EROFS;
  }

  Result<void> open_new() {
    const bool replaces = target_.kind == Target::Kind::replaced;
    const mode_t mode = replaces ? kPrivate : access_.allowed(kNew, ::getegid());
    fd_ = ::open(directory_of(target_.path).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    if (fd_ >= 0 && !can_be_named(fd_)) ::close(std::exchange(fd_, -1));
    if (fd_ < 0) {
      auto named = take_name([&](const std::string& name) {
        fd_ = ::open(name.c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, mode);
        return fd_ >= 0;
      });
      if (!named) return named;
    }
    limit_new();  // a directory can pass on its group
    return {};
  }

  /// Takes rights from a file that has its mode already.
  void limit_new() const {
    struct stat status;
    if (target_.kind == Target::Kind::absent && ::fstat(fd_, &status) == 0)
      ::fchmod(fd_, access_.allowed(status.st_mode & 0777, status.st_gid));
  }

  /// Makes the temporary name by `make`, which fails with EEXIST if there is one already.
  template <class Make>
  Result<void> take_name(Make&& make) {
    if (!signals_) signals_ = std::make_unique<DeferredSignals>();
    for (int tries = 0; temporary_.empty(); ++tries) {
      std::string name = name_beside(target_.path);
      if (make(name))
        temporary_ = std::move(name);
      else if (errno != EEXIST || tries == kTries)
        return write_error(path_);
    }
    return {};
  }

  /// Gives the new file the owner and the mode of the old one. False: only the old file can keep
  /// them.
  Result<bool> take_over_access() {
    struct stat mine;
    const struct stat& old = target_.status;
    if (::fstat(fd_, &mine) != 0) return write_error(path_);
    const bool same = mine.st_uid == old.st_uid && mine.st_gid == old.st_gid;
    if (!same && ::fchown(fd_, old.st_uid, old.st_gid) != 0) return false;
    if (has_access_list(target_.path)) return false;
    return ::fchmod(fd_, access_.allowed(old.st_mode & 0777, old.st_gid)) == 0;
  }

  /// Copies the content to the existing file, for example if it belongs to another user or is a
  /// mount point.
  Result<void> write_over() {
    State out(path_, target_, access_, false);
    out.target_.kind = Target::Kind::in_place;
    out.fd_ = ::open(target_.path.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    struct stat status;
    if (out.fd_ < 0 || ::fstat(out.fd_, &status) != 0) return write_error(path_);
    const mode_t mode = status.st_mode & 0777, less = access_.allowed(mode, status.st_gid);
    const off_t size = ::lseek(fd_, 0, SEEK_CUR);
    if (size < 0 || !has_room(out.fd_, size)) return write_error(path_);
    const bool opens =
        (mode & ~less & 0444) != 0;  // to readers; to writers it has been open before
    if (less != mode && ::fchmod(out.fd_, less) != 0 && opens) return write_error(path_);
    if (auto done = out.copy_rest(fd_, 0); !done) return done;
    if (::ftruncate(out.fd_, size) != 0) return write_error(path_);
    return out.commit();
  }

  /// Gives the file its name. False: errno has the reason.
  bool take_place() const {
    const char *from = temporary_.c_str(), *to = target_.path.c_str();
    if (!only_free_) return std::rename(from, to) == 0;
    if (::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return true;
    return errno == EINVAL && ::link(from, to) == 0 && ::unlink(from) == 0;  // as on NFS
  }

  Result<void> put_in_place() {
    if (temporary_.empty()) {  // a file can't be linked over another
      const std::string self = fmt::format("/proc/self/fd/{}", fd_);
      auto named = take_name([&](const std::string& name) {
        return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
      });
      if (!named) return named;
    }
    if (!take_place())
      return errno == EBUSY && target_.kind == Target::Kind::replaced ? write_over()
                                                                      : write_error(path_);
    temporary_.clear();
    sync_directory(target_.path);
    return {};
  }

  std::string path_;  ///< as it was given
  Target target_;
  Access access_;
  bool only_free_;                            ///< it takes no other file's place
  std::unique_ptr<DeferredSignals> signals_;  ///< while a file may have to be removed
  std::string temporary_;                     ///< "": it has no name yet
  WriteProgress progress_;
  int fd_ = -1;
};

OutputFile::OutputFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
OutputFile::OutputFile(OutputFile&& other) noexcept = default;
OutputFile::~OutputFile() = default;

Result<void> check_replaceable(const std::string& path, std::span<const std::string> inputs,
                               bool force) {
  const std::string name = path == "-" ? "/dev/stdout" : path;
  const int descriptor = descriptor_of(name);
  struct stat file, input;
  const int failed = descriptor < 0 ? ::stat(name.c_str(), &file) : ::fstat(descriptor, &file);
  if (failed != 0 || !S_ISREG(file.st_mode)) return {};
  if ((::fstat(STDIN_FILENO, &input) == 0 && is_same_file(file, input)) ||
      std::ranges::any_of(inputs, [&](const auto& one) { return is_of_input(file, one); }))
    return fail(Errc::invalid_argument, "is an input, which an output can't replace", path);
  if (const char* kind = force ? nullptr : protected_kind(name))
    return fail(Errc::invalid_argument, fmt::format("is {}, which is not replaced", kind), path);
  return {};
}

Result<OutputFile> OutputFile::create(const std::string& path,
                                      std::span<const std::string> made_from, Replaces replaces) {
  if (replaces == Replaces::others)
    if (auto fine = check_replaceable(path, made_from, true); !fine) return fail(fine);
  struct stat status;
  const bool only_free = replaces == Replaces::nothing;
  if (only_free && ::lstat(path.c_str(), &status) == 0)
    return fail(Errc::io, std::strerror(EEXIST), path);
  auto target = find_target(path);
  if (!target) return fail(target);
  Access access;
  limit_to(made_from, access);
  auto state = std::make_unique<State>(path == "-" ? "standard output" : path, *std::move(target),
                                       std::move(access), only_free);
  if (auto opened = state->open(); !opened) return fail(opened);
  return OutputFile(std::move(state));
}

void OutputFile::tell(std::function<bool(std::uint64_t)> progress) {
  state_->progress().tell(std::move(progress));
}
Result<void> OutputFile::go_on(std::uint64_t bytes) { return state_->go_on(bytes); }
Result<void> OutputFile::write(std::string_view bytes) { return state_->write(bytes); }
bool OutputFile::can_replace() const { return state_->can_replace(); }
Result<void> OutputFile::is_also_made_from(std::span<const std::string> more) {
  return state_->is_also_made_from(more);
}
Result<void> OutputFile::replace(std::string_view bytes) { return state_->replace(bytes); }
Result<void> OutputFile::wait_for(int source) const { return state_->wait_for(source); }
Result<void> OutputFile::commit() { return state_->commit(); }

Result<void> OutputFile::copy(int source, std::uint64_t offset, Bytes bytes) {
  const auto start = static_cast<off_t>(offset);
  off_t from = start;
  if (source >= 0)
    if (auto done = state_->copy_range(source, from, start + static_cast<off_t>(bytes.size()));
        !done)
      return done;
  const Bytes rest = bytes.subspan(static_cast<std::size_t>(from - start));
  return write({reinterpret_cast<const char*>(rest.data()), rest.size()});
}

Result<void> OutputFile::copy_file(const std::string& path) {
  const auto source = open_regular(path);
  struct stat status = {};
  if (!source || ::fstat(source->get(), &status) != 0)
    return fail(source ? Error(Errc::io, std::strerror(errno), path) : source.error());
  off_t from = 0;
  auto done = state_->copy_range(source->get(), from, status.st_size);
  if (!done) return done;
  return state_->copy_rest(source->get(), from);
}

}  // namespace base
}  // namespace evname
