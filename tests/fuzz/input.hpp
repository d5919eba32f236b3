#pragma once
// Inputs of fuzz targets as files, without touching a disk.

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace evname::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// A file in memory that can be opened by path while this lives.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : fd_(::memfd_create("input", MFD_CLOEXEC)) {
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t got = ::write(fd_, bytes.data() + at, bytes.size() - at);
      if (got <= 0) break;
      at += static_cast<std::size_t>(got);
    }
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
