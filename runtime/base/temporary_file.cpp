#include "base/temporary_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace evname {
inline namespace base {
namespace {

tl::unexpected<Error> no_room(const std::string& directory, int reason) {
  return fail(Errc::io, std::strerror(reason), directory,
              "temporary files go to the directory that TMPDIR names");
}

// Where the filesystem has no files without names: one that loses its name at once.
int create_named(const std::string& directory) {
  std::string name = directory + "/evname-XXXXXX";
  const int fd = ::mkostemp(name.data(), O_CLOEXEC);
  if (fd >= 0) ::unlink(name.c_str());
  return fd;
}

}  // namespace

std::string temporary_directory() {
  const char* chosen = ::secure_getenv("TMPDIR");
  return chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
}

Result<TemporaryFile> TemporaryFile::create() {
  std::string directory = temporary_directory();
  int fd = ::open(directory.c_str(), O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) fd = create_named(directory);
  if (fd < 0) return no_room(directory, errno);
  return TemporaryFile(std::move(directory), fd);
}

TemporaryFile::~TemporaryFile() {
  if (fd_ >= 0) ::close(fd_);
}

Result<void> TemporaryFile::append(Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd_, bytes.data(), bytes.size());
    if (done < 0 && errno != EINTR) return no_room(directory_, errno);
    if (done <= 0) continue;
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    size_ += static_cast<std::uint64_t>(done);
  }
  return {};
}

Result<MappedFile> TemporaryFile::map() const { return MappedFile::map(fd_, size_, directory_); }

}  // namespace base
}  // namespace evname
