#pragma once
// A temporary directory, removed at the end of a test.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace evname::test {

/// The first line of a mapfile.csv in the kernel's layout.
constexpr const char* kMapfileHeading = "Family-model,Version,Filename,EventType\n";

class TempDir {
 public:
  TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "evname-test-XXXXXX").string();
    if (mkdtemp(name.data())) path_ = name;
  }
  TempDir(std::initializer_list<std::pair<std::string_view, std::string_view>> files) : TempDir() {
    for (const auto& [path, content] : files) write(path, content);
  }
  ~TempDir() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;

  std::string path(std::string_view relative = "") const {
    return relative.empty() ? path_.string() : (path_ / relative).string();
  }

  /// Writes a file and its directories; returns its full path.
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

/// Unpacks EVNAME_SHARED/<archive> into the directory; returns false without EVNAME_SHARED.
inline bool unpack_shared(const TempDir& dir, std::string_view archive) {
  const char* shared = std::getenv("EVNAME_SHARED");
  if (shared == nullptr) return false;
  const std::string command = "tar xzf '" + std::string(shared) + "/" + std::string(archive) +
                              "' -C '" + dir.path() + "' 2>/dev/null";
  return std::system(command.c_str()) == 0;
}

}  // namespace evname::test
