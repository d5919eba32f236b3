#pragma once
// A file that appears whole or not at all.

#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "evname/error.hpp"

namespace evname {
inline namespace base {

/// Written to a file without a name in the directory of `path` (where the file system has none, to
/// a temporary name), which takes its place on commit(). "-" is standard output, written as it
/// comes. What is not committed leaves nothing behind.
class AtomicFile {
 public:
  static Result<AtomicFile> create(const std::string& path);
  ~AtomicFile();
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;

  Result<void> write(std::string_view bytes);
  /// Bytes of a file that is mapped at `bytes`: copied by the kernel where it can. `source` -1: no
  /// descriptor.
  Result<void> copy(int source, std::uint64_t offset, Bytes bytes);
  /// Gives it its name; what was there is replaced.
  Result<void> commit();

 private:
  AtomicFile(std::string path, int fd, std::string temporary)
      : path_(std::move(path)), temporary_(std::move(temporary)), fd_(fd) {}
  Result<void> name_it();

  std::string path_;
  std::string temporary_;  ///< "": it has no name yet
  int fd_;
};

}  // namespace base
}  // namespace evname
