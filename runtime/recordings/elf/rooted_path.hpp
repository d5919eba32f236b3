#pragma once
// Resolves paths below a directory that stands for the root, such as --symfs.

#include <filesystem>
#include <string>
#include <string_view>

#include "base/read_file.hpp"

namespace evname::elf {

/// Returns the path of a file below `root`. ".." does not lead out of it.
inline std::string inside_of(const std::string& root, std::string_view path) {
  if (root.empty() || path.find("..") == path.npos) return std::string(path);
  return std::filesystem::path("/").append(path).lexically_normal().string();
}

/// Returns the file that a path leads to if it begins with `root`: symbolic links are followed as
/// if that were the root. Other paths are returned as they are.
std::string within(const std::string& root, const std::string& path);

/// Opens the regular file that a path leads to if it begins with `root`, as if that were the root,
/// whatever others do to the directories meanwhile; other paths as open_regular() does.
Result<Descriptor> open_within(const std::string& root, const std::string& path);

}  // namespace evname::elf
