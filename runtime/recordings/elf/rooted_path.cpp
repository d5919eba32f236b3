#include "recordings/elf/rooted_path.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <unistd.h>
#if defined __linux__ && __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#include <sys/syscall.h>
#endif

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

// Linux has openat2() from 5.6 on. The file is opened for reading only if it is a regular
// one.
Result<Descriptor> open_within(const std::string& root, const std::string& path) {
  if (root.empty() || !path.starts_with(root + "/")) return open_regular(path);
#if defined SYS_openat2 && defined RESOLVE_IN_ROOT
  const Descriptor directory(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  const std::string inside = path.substr(root.size() + 1);
  const Descriptor found(
      static_cast<int>(::syscall(SYS_openat2, directory.get(), inside.c_str(), &how, sizeof how)));
  if (found.get() >= 0) {
    auto opened = open_regular("/proc/self/fd/" + std::to_string(found.get()));
    if (!opened) opened.error().where = path;
    return opened;
  }
  if (errno != ENOSYS && errno != EINVAL && errno != EPERM)
    return fail(errno == ENOENT || errno == ENOTDIR ? Errc::not_found : Errc::io,
                std::strerror(errno), path);
#endif
  return open_regular(within(root, path));
}

}  // namespace evname::elf
