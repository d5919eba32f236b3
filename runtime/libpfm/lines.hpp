#pragma once
// Reads small files of the kernel without heap memory.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

namespace evname::libpfm {

/// Reads a file by lines, through its own buffer. Longer lines are truncated.
class Lines {
 public:
  explicit Lines(const char* path)
      : file_(is_regular(path) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1) {}
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  ~Lines() {
    if (file_ >= 0) close(file_);
  }

  /// Returns false at the end. The line is valid until the next call.
  bool next(std::string_view& line) {
    for (;;) {
      const auto* end =
          static_cast<const char*>(std::memchr(buffer_ + first_, '\n', size_ - first_));
      if (end != nullptr) {
        line = {buffer_ + first_, static_cast<std::size_t>(end - buffer_) - first_};
        first_ += line.size() + 1;
        if (!std::exchange(is_cut_, false)) return true;
        continue;
      }
      if (first_ == 0 && size_ == sizeof buffer_) {  // no line of interest is as long as this
        is_cut_ = true;
        first_ = size_;
      }
      std::memmove(buffer_, buffer_ + first_, size_ - first_);
      size_ -= first_;
      first_ = 0;
      const ssize_t got = file_ < 0 ? 0 : read(file_, buffer_ + size_, sizeof buffer_ - size_);
      left_ -= got;
      if (got <= 0 || left_ < 0) return false;
      size_ += static_cast<std::size_t>(got);
    }
  }

 private:
  static bool is_regular(const char* path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
  }

  int file_;
  ssize_t left_ = ssize_t{1} << 24;  ///< more than the kernel writes on any machine
  bool is_cut_ = false;              ///< the rest of a line is still to come
  std::size_t first_ = 0, size_ = 0;
  char buffer_[4096];
};

/// Returns a text without the blanks around it.
inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// Reads a decimal number from the beginning of a text.
inline unsigned leading_number(std::string_view text) {
  unsigned out = 0;
  for (const char letter : text) {
    if (letter < '0' || letter > '9') break;
    out = out * 10 + static_cast<unsigned>(letter - '0');
  }
  return out;
}

}  // namespace evname::libpfm
