#include "base/small_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace evname {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

tl::unexpected<Error> system_error(const std::string& path) {
  const int reason = errno;
  return fail(reason == ENOENT ? Errc::not_found : Errc::io, std::strerror(reason), path);
}

}  // namespace

Result<std::string> read_head(const std::string& path, std::size_t limit) {
  // O_NONBLOCK: opening a FIFO for reading would else wait for a writer.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (file.get() < 0 || ::fstat(file.get(), &info) != 0) return system_error(path);
  if (!S_ISREG(info.st_mode)) return fail(Errc::unsupported, "not a regular file", path);
  std::string out;
  char block[4096];
  while (out.size() < limit) {
    const std::size_t want = std::min(sizeof block, limit - out.size());
    const ssize_t got = ::read(file.get(), block, want);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error(path);
    if (got == 0) break;
    out.append(block, static_cast<std::size_t>(got));
  }
  return out;
}

bool is_directory(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

}  // namespace evname
