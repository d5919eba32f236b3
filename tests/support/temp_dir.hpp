#pragma once
// A directory that lives as long as a test.

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace evname::test {

class TempDir {
 public:
  TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "evname-test-XXXXXX").string();
    if (mkdtemp(name.data())) path_ = name;
  }
  ~TempDir() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;

  std::string path(std::string_view relative = "") const {
    return relative.empty() ? path_.string() : (path_ / relative).string();
  }

  /// Writes a file, directories included; gives its full path.
  std::string write(std::string_view relative, std::string_view content) const {
    const std::filesystem::path full = path_ / relative;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full, std::ios::binary) << content;
    return full.string();
  }

  std::string read(std::string_view relative) const {
    std::ifstream in(path_ / relative, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  bool has(std::string_view relative) const { return std::filesystem::exists(path_ / relative); }

 private:
  std::filesystem::path path_;
};

}  // namespace evname::test
