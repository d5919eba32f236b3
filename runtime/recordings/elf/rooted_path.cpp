#include "recordings/elf/rooted_path.hpp"

#include <filesystem>
#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace evname::elf {

std::string within(const std::string& symfs, const std::string& path) {
  constexpr unsigned kMostLinks = 40;  // as many as Linux follows
  if (symfs.empty() || !path.starts_with(symfs + "/")) return path;
  std::string done;
  std::vector<std::string> rest;  // the next one is last
  const auto go_to = [&](std::string_view names) {
    const auto parts = split(names, '/');
    for (auto name = parts.rbegin(); name != parts.rend(); ++name)
      if (!name->empty() && *name != ".") rest.emplace_back(*name);
  };
  go_to(std::string_view(path).substr(symfs.size()));
  for (unsigned links = 0; !rest.empty();) {
    const std::string name = std::move(rest.back());
    rest.pop_back();
    const std::size_t parent = done.size();
    if (name == "..") {
      done.resize(done.empty() ? 0 : done.rfind('/'));
      continue;
    }
    done += '/' + name;
    std::error_code is_no_link;
    const auto target = std::filesystem::read_symlink(symfs + done, is_no_link);
    if (is_no_link) continue;
    if (++links > kMostLinks) return symfs;  // a directory, which nobody reads
    done.resize(target.is_absolute() ? 0 : parent);
    go_to(target.native());
  }
  return symfs + done;
}

}  // namespace evname::elf
