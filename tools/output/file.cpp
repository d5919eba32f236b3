#include "output/file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "screen/screen.hpp"

namespace evname::tools {
namespace {

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Closer>;

bool write_all(File file, std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  return std::fclose(file.release()) == 0 && written;
}

/// Pipes and devices stay what they are.
bool can_be_replaced(const std::string& path) {
  struct stat status;
  return ::lstat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode);
}

bool replace_file(const std::string& path, std::string_view text) {
  const std::string temporary = fmt::format("{}.{}.tmp", path, ::getpid());
  File file(std::fopen(temporary.c_str(), "wb"));
  if (!file) return false;
  if (write_all(std::move(file), text) && std::rename(temporary.c_str(), path.c_str()) == 0)
    return true;
  const int error = errno;
  ::unlink(temporary.c_str());
  errno = error;
  return false;
}

bool write_plainly(const std::string& path, std::string_view text) {
  File file(std::fopen(path.c_str(), "wb"));
  return file && write_all(std::move(file), text);
}

}  // namespace

bool write_file(const std::string& path, std::string_view text) {
  bool done = false;
  if (path == "-")
    done =
        std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  else
    done = can_be_replaced(path) ? replace_file(path, text) : write_plainly(path, text);
  if (!done) tell_error("{}: {}", path, std::strerror(errno));
  return done;
}

bool to_stdout(std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
}

}  // namespace evname::tools
