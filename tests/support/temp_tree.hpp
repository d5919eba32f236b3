#pragma once
// A directory of files made by a test, removed with it.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace evname::test {

class TempTree {
 public:
  TempTree() {
    std::string name = (std::filesystem::temp_directory_path() / "evname-test-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) root_ = name;
  }
  TempTree(std::initializer_list<std::pair<std::string_view, std::string_view>> files)
      : TempTree() {
    for (const auto& [path, content] : files) write(path, content);
  }
  TempTree(const TempTree&) = delete;
  TempTree& operator=(const TempTree&) = delete;
  ~TempTree() {
    std::error_code ignored;
    if (!root_.empty()) std::filesystem::remove_all(root_, ignored);
  }

  std::string path(std::string_view relative = {}) const {
    return relative.empty() ? root_ : root_ + "/" + std::string(relative);
  }
  void write(std::string_view relative, std::string_view content) const {
    std::filesystem::create_directories(std::filesystem::path(path(relative)).parent_path());
    std::ofstream(path(relative), std::ios::binary) << content;
  }

 private:
  std::string root_;
};

/// Unpacks EVNAME_SHARED/<archive> into the tree; false where the shared folder is not given.
inline bool unpack_shared(const TempTree& tree, std::string_view archive) {
  const char* shared = std::getenv("EVNAME_SHARED");
  if (shared == nullptr) return false;
  const std::string command = "tar xzf '" + std::string(shared) + "/" + std::string(archive) +
                              "' -C '" + tree.path() + "' 2>/dev/null";
  return std::system(command.c_str()) == 0;
}

}  // namespace evname::test
