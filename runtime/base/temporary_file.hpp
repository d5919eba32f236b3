#pragma once
// Bytes that there is no room for in memory.

#include <string>
#include <utility>

#include "base/bytes.hpp"
#include "base/read_file.hpp"
#include "evname/error.hpp"

namespace evname {
inline namespace base {

/// Where such files go: $TMPDIR, else /tmp.
std::string temporary_directory();

/// A file without a name, which goes away with the object and with the process. Only its owner can
/// read it.
class TemporaryFile {
 public:
  /// Errors name the directory.
  static Result<TemporaryFile> create();

  TemporaryFile(TemporaryFile&& other) noexcept
      : directory_(std::move(other.directory_)),
        fd_(std::exchange(other.fd_, -1)),
        size_(other.size_) {}
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  Result<void> append(Bytes bytes);
  /// What was written. It outlives the object.
  Result<MappedFile> map() const;

 private:
  TemporaryFile(std::string directory, int fd) : directory_(std::move(directory)), fd_(fd) {}

  std::string directory_;
  int fd_;
  std::uint64_t size_ = 0;
};

}  // namespace base
}  // namespace evname
