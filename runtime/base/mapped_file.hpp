#pragma once
// A file's bytes without a copy.

#include <string>
#include <utility>

#include "base/bytes.hpp"
#include "evname/error.hpp"

namespace evname {

/// Owns a read-only mapping of a regular file, or of an unlinked copy of what can't be mapped (a
/// pipe). Another process that shortens the file meanwhile ends this one (SIGBUS), as with any map.
class MappedFile {
 public:
  /// `path` "-" is standard input.
  static Result<MappedFile> open(const std::string& path);
  /// A copy of `head` and what `fd` yields up to its end. `name` is for errors.
  static Result<MappedFile> spool(Bytes head, int fd, const std::string& name);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MappedFile();

  Bytes bytes() const { return bytes_; }

 private:
  explicit MappedFile(Bytes bytes) : bytes_(bytes) {}
  static Result<MappedFile> map(int fd, std::uint64_t size, const std::string& name);

  Bytes bytes_;
};

}  // namespace evname
