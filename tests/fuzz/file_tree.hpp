#pragma once
// A small tree of files whose contents are pieces of an input.

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/input.hpp"
#include "support/temp_dir.hpp"

namespace evname::fuzz {

/// Lives as long as the program, in memory where the system has such a directory. It
/// writes a file only if the next input changes it.
class FileTree {
 public:
  /// Each name follows `root`.
  explicit FileTree(std::span<const char* const> names, const std::string& root = {}) {
    for (const char* name : names) {
      const std::string path = dir_.path(root + name);
      std::filesystem::create_directories(std::filesystem::path(path).parent_path());
      files_.push_back({path, {}});
    }
  }

  /// Fills each file with a piece of the input up to a NUL. An empty piece: there is no such file.
  void fill(Pieces& pieces) {
    for (File& file : files_) put(file, pieces.until('\0'));
  }
  /// Fills the file of that number.
  void fill(std::size_t file, std::string_view content) { put(files_[file], content); }
  std::string path(std::string_view relative = "") const { return dir_.path(relative); }

 private:
  struct File {
    std::string path, content;
  };

  static const char* directory() {
    if (::access("/dev/shm", W_OK) == 0) ::setenv("TMPDIR", "/dev/shm", 0);
    return "";
  }

  static void put(File& file, std::string_view content) {
    if (file.content == content) return;
    file.content = content;
    if (content.empty()) {
      ::unlink(file.path.c_str());
      return;
    }
    const int fd = ::open(file.path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    write_all(fd, content);
    ::close(fd);
  }

  const char* in_memory_ = directory();  // before dir_ is made
  test::TempDir dir_;
  std::vector<File> files_;
};

}  // namespace evname::fuzz
