#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/output_file.hpp"

namespace evname {
inline namespace base {

namespace fs = std::filesystem;

Result<void> make_directory(const std::string& path, const std::string& like) {
  FileAccess access;
  access.limit_to(like);
  struct stat status;
  if (::mkdir(path.c_str(), access.allowed(0777, ::getegid())) != 0) return write_error(path);
  if (::stat(path.c_str(), &status) != 0 ||
      ::chmod(path.c_str(), access.allowed(status.st_mode & 07777, status.st_gid)) != 0)
    return write_error(path);
  return {};
}

Result<OutputDirectory> OutputDirectory::create(const std::string& path, const std::string& like) {
  std::string plain = path;
  while (plain.size() > 1 && plain.ends_with('/')) plain.pop_back();
  struct stat status;
  if (::lstat(plain.c_str(), &status) == 0) return fail(Errc::io, std::strerror(EEXIST), path);
  OutputDirectory out(plain, name_beside(plain));
  if (auto made = make_directory(out.temporary_, like); !made) {
    out.temporary_.clear();
    return fail(Errc::io, made.error().message, path);
  }
  return out;
}

OutputDirectory::~OutputDirectory() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

Result<void> OutputDirectory::commit() {
  if (signals_->pending()) return fail(Errc::io, std::strerror(EINTR), path_);
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return write_error(path_);
  temporary_.clear();
  return {};
}

}  // namespace base
}  // namespace evname
