#include "base/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>
#include <utility>
#include <vector>

#include "base/read_file.hpp"
#include "base/text.hpp"

namespace evname {
inline namespace base {
namespace {

constexpr mode_t kNew = 0666, kPrivate = 0600;
constexpr std::size_t kChunk = 1 << 24;  // a signal waits that long
constexpr std::size_t kBuffer = 1 << 18;
constexpr int kTries = 100;
constexpr int kPatience = 50;   // ms
constexpr int kMostLinks = 40;  // as in the kernel

/// "No such file or directory", as the error of a path; from errno.
tl::unexpected<Error> write_error(const std::string& path) {
  return fail(Errc::io, std::strerror(errno), path);
}

std::string directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

/// A name beside `path` that nobody can foresee.
std::string name_beside(const std::string& path) {
  constexpr std::size_t kLongest = 200;  // a name has 255 bytes at most
  const std::string name(last_part(path).substr(0, kLongest));
  std::random_device random;
  return fmt::format("{}/.{}.{:08x}{:08x}", directory_of(path), name, random(), random());
}

/// Makes SIGHUP, SIGINT and SIGTERM wait for this thread as long as it exists, unless they are
/// ignored anyway.
class DeferredSignals {
 public:
  DeferredSignals() {
    sigemptyset(&deferred_);
    for (const int signal : kSignals) {
      struct sigaction action;
      if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
        sigaddset(&deferred_, signal);
    }
    pthread_sigmask(SIG_BLOCK, &deferred_, &before_);
  }
  ~DeferredSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  DeferredSignals(const DeferredSignals&) = delete;
  DeferredSignals& operator=(const DeferredSignals&) = delete;

  /// Returns true if one of them has come.
  bool pending() const {
    sigset_t arrived;
    if (sigpending(&arrived) != 0) return false;
    return std::ranges::any_of(kSignals, [&](int signal) {
      return sigismember(&deferred_, signal) == 1 && sigismember(&arrived, signal) == 1;
    });
  }

 private:
  static constexpr int kSignals[] = {SIGHUP, SIGINT, SIGTERM};
  sigset_t deferred_, before_;
};

/// How open an output may be: not more than each of the files that it is made from.
class Access {
 public:
  /// A path that is neither a file nor a directory, or is not there, limits nothing.
  void limit_to(const std::string& path) {
    struct stat status;
    const int failed = path == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status);
    if (failed != 0 || !(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))) return;
    // Who may read a file may have it executable, too.
    const mode_t runs = S_ISREG(status.st_mode) ? (status.st_mode & 0444) >> 2 : 0;
    sources_.push_back({status.st_mode | runs, status.st_gid});
  }

  /// The bits of `mode` that may stay, for a file of that group. Its owner's always do.
  mode_t allowed(mode_t mode, gid_t group) const {
    for (const Source& source : sources_) {
      const mode_t others = source.mode & 07;
      const mode_t members = source.group == group ? source.mode & 070 : others << 3;
      mode &= 07700 | members | others;
    }
    return mode;
  }

 private:
  struct Source {
    mode_t mode;
    gid_t group;
  };
  std::vector<Source> sources_;
};

/// Where the bytes of an output file go.
struct Target {
  enum class Kind {
    descriptor,  ///< to one that this process was given
    in_place,    ///< to what is there: a pipe, a device, a file that no path leads to
    replaced,    ///< to a new file, which takes the place of the one that is there
    absent,      ///< to a new file
  };
  Kind kind = Kind::absent;
  std::string path;         ///< where symbolic links lead to
  int descriptor = -1;      ///< if kind is descriptor
  struct stat status = {};  ///< if kind is replaced

  bool is_new() const { return kind == Kind::replaced || kind == Kind::absent; }
};

/// The descriptor that a path stands for, with /proc or without; -1: none.
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

/// The path that a symbolic link holds; "": it is none.
std::string link_target(const std::string& path) {
  char target[PATH_MAX];
  const ssize_t size = ::readlink(path.c_str(), target, sizeof target);
  if (size <= 0) return {};
  const std::string to(target, static_cast<std::size_t>(size));
  return to.starts_with('/') ? to : directory_of(path) + "/" + to;
}

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// Errors: io, also for a directory and for a regular file that is read-only.
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
    target.path = path;  // links of /proc lead to files of other names, or of none
    target.kind = Target::Kind::in_place;
    return target;
  }
  const bool read_only = (target.status.st_mode & 0222) == 0;
  if (read_only || ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0)
    return fail(Errc::io, std::strerror(EACCES), path, read_only ? "the file is read-only" : "");
  target.kind = Target::Kind::replaced;
  return target;
}

/// Returns true for an input, or a file in one that is a directory.
bool is_of_input(const struct stat& file, const std::string& input) {
  namespace fs = std::filesystem;
  const auto is_it = [&](const std::string& path) {
    struct stat found;
    return ::stat(path.c_str(), &found) == 0 && is_same_file(found, file);
  };
  if (is_it(input)) return true;
  if (!is_directory(input)) return false;
  std::error_code error;
  for (fs::recursive_directory_iterator at(input, error), end; !error && at != end;
       at.increment(error))
    if (is_it(at->path())) return true;
  return false;
}

/// Returns true if a file without a name can get one.
bool can_be_named(int fd) {
  return ::access(fmt::format("/proc/self/fd/{}", fd).c_str(), F_OK) == 0;
}

/// Returns true if an access list says more than owner, group and mode do.
bool has_access_list(const std::string& path) {
  return ::getxattr(path.c_str(), "system.posix_acl_access", nullptr, 0) > 0;
}

/// Takes the room that a file will need, before anything of it is lost. False: errno has the
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

  Result<void> write(std::string_view bytes) {
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

  /// Copies by the kernel as far as it can between these files, up to `end`.
  Result<void> copy_range(int source, off_t& from, off_t end) {
    while (target_.is_new() && from < end) {
      if (auto fine = interrupted(); !fine) return fine;
      const auto size = static_cast<std::size_t>(std::min<off_t>(end - from, kChunk));
      const ssize_t got = ::copy_file_range(source, &from, fd_, nullptr, size, 0);
      if (got == 0 || (got < 0 && errno != EINTR)) break;
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
    struct stat status;  // of another group in a directory that passes its own on
    if (!replaces && ::fstat(fd_, &status) == 0)
      ::fchmod(fd_, access_.allowed(status.st_mode & 0777, status.st_gid));
    return {};
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

  /// Copies the content to the file that is there: it is another's, say, or mounted by itself.
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
  std::unique_ptr<DeferredSignals> signals_;  ///< while there is something to remove
  std::string temporary_;                     ///< "": it has no name yet
  int fd_ = -1;
};

OutputFile::OutputFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
OutputFile::OutputFile(OutputFile&& other) noexcept = default;
OutputFile::~OutputFile() = default;

Result<void> check_replaceable(const std::string& path, std::span<const std::string> inputs,
                               bool recordings) {
  const std::string name = path == "-" ? "/dev/stdout" : path;
  const int descriptor = descriptor_of(name);
  struct stat file, input;
  const int failed = descriptor < 0 ? ::stat(name.c_str(), &file) : ::fstat(descriptor, &file);
  if (failed != 0 || !S_ISREG(file.st_mode)) return {};
  if ((::fstat(STDIN_FILENO, &input) == 0 && is_same_file(file, input)) ||
      std::ranges::any_of(inputs, [&](const auto& one) { return is_of_input(file, one); }))
    return fail(Errc::invalid_argument, "is an input, which an output can't replace", path);
  if (!recordings && is_recording(name))
    return fail(Errc::invalid_argument, "is a recording, which is not replaced", path);
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
  for (const std::string& source : made_from) {
    access.limit_to(source);
    if (is_directory(source)) access.limit_to(source + "/data");
  }
  auto state = std::make_unique<State>(path == "-" ? "standard output" : path, *std::move(target),
                                       std::move(access), only_free);
  if (auto opened = state->open(); !opened) return fail(opened);
  return OutputFile(std::move(state));
}

Result<void> OutputFile::write(std::string_view bytes) { return state_->write(bytes); }
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

Result<void> write_file(const std::string& path, std::string_view text,
                        std::span<const std::string> made_from) {
  auto out = OutputFile::create(path, made_from);
  if (!out) return fail(out);
  if (auto done = out->write(text); !done) return done;
  return out->commit();
}

Result<void> make_directory(const std::string& path, const std::string& like) {
  Access access;
  access.limit_to(like);
  struct stat status;
  if (::mkdir(path.c_str(), access.allowed(0777, ::getegid())) != 0) return write_error(path);
  if (::stat(path.c_str(), &status) != 0 ||
      ::chmod(path.c_str(), access.allowed(status.st_mode & 07777, status.st_gid)) != 0)
    return write_error(path);
  return {};
}

struct MadeDirectories::State {
  DeferredSignals signals;
  std::vector<std::string> made;  ///< each in the one before
};

MadeDirectories::MadeDirectories() : state_(std::make_unique<State>()) {}

MadeDirectories::~MadeDirectories() {
  for (; state_ && !state_->made.empty(); state_->made.pop_back())
    ::rmdir(state_->made.back().c_str());
}

Result<void> MadeDirectories::make(const std::string& path) {
  struct stat status;
  if (path.empty() || ::stat(path.c_str(), &status) == 0) return {};
  if (auto done = make(directory_of(path)); !done) return done;
  if (::mkdir(path.c_str(), 0777) == 0)
    state_->made.push_back(path);
  else if (errno != EEXIST)
    return write_error(path);
  return {};
}

void MadeDirectories::keep() { state_.reset(); }

struct OutputDirectory::State {
  ~State() {
    std::error_code ignored;
    if (!temporary.empty()) std::filesystem::remove_all(temporary, ignored);
  }

  DeferredSignals signals;
  std::string path;
  std::string temporary;  ///< "": it is in its place
};

OutputDirectory::OutputDirectory(std::unique_ptr<State> state) : state_(std::move(state)) {}
OutputDirectory::OutputDirectory(OutputDirectory&&) noexcept = default;
OutputDirectory::~OutputDirectory() = default;
const std::string& OutputDirectory::place() const { return state_->temporary; }

Result<OutputDirectory> OutputDirectory::create(const std::string& path, const std::string& like) {
  auto state = std::make_unique<State>();
  state->path = path;
  while (state->path.size() > 1 && state->path.ends_with('/')) state->path.pop_back();
  struct stat status;
  if (::lstat(state->path.c_str(), &status) == 0)
    return fail(Errc::io, std::strerror(EEXIST), path);
  const std::string temporary = name_beside(state->path);
  if (auto made = make_directory(temporary, like); !made)
    return fail(Errc::io, made.error().message, path);
  state->temporary = temporary;
  return OutputDirectory(std::move(state));
}

Result<void> OutputDirectory::commit() {
  if (state_->signals.pending()) return fail(Errc::io, std::strerror(EINTR), state_->path);
  if (std::rename(state_->temporary.c_str(), state_->path.c_str()) != 0)
    return write_error(state_->path);
  state_->temporary.clear();
  return {};
}

}  // namespace base
}  // namespace evname
