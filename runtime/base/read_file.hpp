#pragma once
// Reads files: maps them whole, or copies them up to a limit; temporary files; the names in a
// directory.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "evname/error.hpp"

namespace evname {
inline namespace base {

/// A descriptor of an open file.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;  ///< -1: none
};

/// Opens a regular file for reading. Other files are not opened: a FIFO may wait, and opening a
/// device may have an effect. With `owners`, one of these users must own the file, and it must not
/// be empty, as the kernel's own files are. Errors: not_found, io; unsupported if it is not a
/// regular file, or another user's.
Result<Descriptor> open_regular(const std::string& path,
                                std::span<const std::uint32_t> owners = {});

/// Lets a pipe hold 256 KiB, four times the default, so that its ends wait less often for each
/// other. Does nothing if the pipe holds more, if the file is no pipe, or if the kernel refuses.
void widen_pipe(int file) noexcept;

/// Owns a read-only mapping of a regular file, or of an unlinked copy of a pipe. If another process
/// truncates the file, reading beyond its end raises SIGBUS, as with any mapping.
class MappedFile {
 public:
  /// Opens a regular file as open_regular() does; "-" is standard input, which may be any kind of
  /// file.
  static Result<MappedFile> open(const std::string& path,
                                 std::span<const std::uint32_t> owners = {});
  /// Maps a copy of `head` followed by the rest of `fd`. `name` is for errors.
  static Result<MappedFile> spool(Bytes head, int fd, const std::string& name);
  /// Maps the first `size` bytes of an open file.
  static Result<MappedFile> map(int fd, std::uint64_t size, const std::string& name);

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

  Bytes bytes_;
};

/// Returns the directory of temporary files: $TMPDIR, else /tmp.
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
  /// Maps the written bytes. The map outlives the object.
  Result<MappedFile> map() const;

 private:
  TemporaryFile(std::string directory, int fd) : directory_(std::move(directory)), fd_(fd) {}

  std::string directory_;
  int fd_;
  std::uint64_t size_ = 0;
};

/// Reads a whole file of at most `limit` bytes; a larger one is an error (Errc::out_of_range).
Result<std::string> read_text_file(const std::string& path, std::size_t limit = 1 << 20);

// For sysfs, procfs, and untrusted copies of them.

/// Reads the first `limit` bytes of a regular file. A FIFO, socket or device is not opened
/// (Errc::unsupported).
Result<std::string> read_head(const std::string& path, std::size_t limit = 4096);
/// Returns the text of a file by read_head(), without blanks around it; "" if it can't be read.
std::string text_of_file(const std::string& path);
/// Returns the number in a file; nullopt if there is none. Hexadecimal ones may begin with 0x.
std::optional<std::uint64_t> number_of_file(const std::string& path, bool hexadecimal = false);
/// Passes on the lines of the first `limit` bytes of a large file, without line feeds;
/// open_regular() opens it. Returns false if some were left out: the file is larger, or has lines
/// of more than a megabyte.
Result<bool> read_lines(const std::string& path, std::size_t limit,
                        const std::function<void(std::string_view line)>& take,
                        std::span<const std::uint32_t> owners = {});

/// Returns true for a regular file that begins as a perf.data.
bool is_recording(const std::string& path);

/// Returns the kind of a regular file that an output replaces only with --force: "a recording", "a
/// program or library" (any ELF file); nullptr: neither.
const char* protected_kind(const std::string& path);

/// Returns true for a directory, also through symbolic links.
bool is_directory(const std::string& path);

/// Returns the names in a directory, sorted, at most `limit`, without those that begin with a dot;
/// empty if it can't be read. The default limit is far above real machines (hv_24x7 has some ten
/// thousand events); it stops hostile trees from exhausting memory.
std::vector<std::string> list_directory(const std::string& path, std::size_t limit = 1 << 16);

}  // namespace base
}  // namespace evname
