#pragma once
// Inputs of fuzz targets as files, without touching a disk.

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace evname::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline void write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t got = ::write(fd, bytes.data(), bytes.size());
    if (got <= 0) break;
    bytes.remove_prefix(static_cast<std::size_t>(got));
  }
}

/// A file in memory that can be opened by path while this lives.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : fd_(::memfd_create("input", MFD_CLOEXEC)) {
    write_all(fd_, bytes);
  }
  ~MemoryFile() { ::close(fd_); }
  MemoryFile(const MemoryFile&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

/// Takes pieces off the front of an input.
class Pieces {
 public:
  Pieces(const std::uint8_t* data, std::size_t size) : rest_(text_of(data, size)) {}

  /// A number of that size in this machine's byte order; what is missing is 0.
  template <class T>
  T number() {
    T value = 0;
    const std::string_view bytes = take(sizeof value);
    std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  }
  std::uint8_t byte() { return rest_.empty() ? 0 : static_cast<std::uint8_t>(take(1)[0]); }
  std::string_view take(std::size_t size) {
    const std::string_view piece = rest_.substr(0, size);
    rest_.remove_prefix(piece.size());
    return piece;
  }
  /// Up to the next `end`, which is consumed.
  std::string_view until(char end) {
    const std::string_view piece = rest_.substr(0, rest_.find(end));
    rest_.remove_prefix(piece.size() < rest_.size() ? piece.size() + 1 : piece.size());
    return piece;
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace evname::fuzz
