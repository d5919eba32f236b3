#include "base/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace evname {
namespace {

struct Descriptor {
  int fd = -1;
  bool owned = false;
  ~Descriptor() {
    if (owned && fd >= 0) ::close(fd);
  }
};

tl::unexpected<Error> system_error(const std::string& name) {
  Errc code = errno == ENOENT || errno == ENOTDIR ? Errc::not_found : Errc::io;
  return fail(code, std::strerror(errno), name);
}

bool write_all(int fd, const char* data, std::size_t size) {
  while (size > 0) {
    ssize_t written = ::write(fd, data, size);
    if (written < 0 && errno != EINTR) return false;
    if (written <= 0) continue;
    data += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace

Result<MappedFile> MappedFile::map(int fd, std::uint64_t size, const std::string& name) {
  if (size == 0) return MappedFile();
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (memory == MAP_FAILED) return system_error(name);
  return MappedFile(Bytes(static_cast<const std::uint8_t*>(memory), size));
}

Result<MappedFile> MappedFile::spool(Bytes head, int fd, const std::string& name) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> spool(std::tmpfile(), &std::fclose);
  if (!spool) return system_error(name);
  std::uint64_t size = head.size();
  if (!write_all(::fileno(spool.get()), reinterpret_cast<const char*>(head.data()), head.size()))
    return system_error(name);
  char buffer[1 << 16];
  for (;;) {
    ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error(name);
    if (got == 0) break;
    if (!write_all(::fileno(spool.get()), buffer, static_cast<std::size_t>(got)))
      return system_error(name);
    size += static_cast<std::uint64_t>(got);
  }
  return map(::fileno(spool.get()), size, name);
}

Result<MappedFile> MappedFile::open(const std::string& path) {
  bool standard_input = path == "-";
  std::string name = standard_input ? "standard input" : path;
  Descriptor file{standard_input ? 0 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC), !standard_input};
  struct stat info {};
  if (file.fd < 0 || ::fstat(file.fd, &info) != 0) return system_error(name);
  if (S_ISDIR(info.st_mode)) return fail(Errc::io, "is a directory", name);
  if (S_ISREG(info.st_mode) && (!standard_input || ::lseek(file.fd, 0, SEEK_CUR) == 0))
    return map(file.fd, static_cast<std::uint64_t>(info.st_size), name);
  return spool({}, file.fd, name);
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size());
}

}  // namespace evname
