#include "pmu/sysfs_files.hpp"

#include <dirent.h>

#include <algorithm>
#include <memory>

#include "base/small_file.hpp"
#include "base/text.hpp"

namespace evname::pmu {

void warn(Warnings* warnings, std::string text) {
  constexpr std::size_t kMostWarnings = 1000;
  if (warnings != nullptr && warnings->size() < kMostWarnings) warnings->push_back(std::move(text));
}

std::vector<std::string> list_directory(const std::string& path, std::size_t limit) {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), &::closedir);
  std::vector<std::string> names;
  if (!directory) return names;
  while (const dirent* entry = ::readdir(directory.get())) {
    if (entry->d_name[0] == '.') continue;
    if (names.size() == limit) break;
    names.emplace_back(entry->d_name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<std::string> read_value(const std::string& path, Warnings* warnings) {
  constexpr std::size_t kLongestFile = 16384;
  const auto text = read_head(path, kLongestFile);
  if (text) return std::string(trim(*text));
  if (text.error().code != Errc::not_found) warn(warnings, text.error().text());
  return std::nullopt;
}

}  // namespace evname::pmu
