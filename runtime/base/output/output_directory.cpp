#include "base/output/output_directory.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/output/output_place.hpp"
#include "base/text.hpp"

namespace evname {
inline namespace base {

Result<void> make_directory(const std::string& path, const std::string& like) {
  Access access;
  access.limit_to(like);
  struct stat status;
  if (::mkdir(path.c_str(), access.allowed(0777, ::getegid())) != 0) return write_error(path);
  if (::stat(path.c_str(), &status) != 0 ||
      ::chmod(path.c_str(), access.allowed(status.st_mode & 07777, status.st_gid)) != 0)
    return write_error(path);
  return {};
}

bool is_in_directory(const std::string& path, const std::string& directory) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, error), error);
  for (fs::path above = whole; above.has_relative_path();) {
    above = above.parent_path();
    if (fs::equivalent(above, directory, error)) return true;
  }
  return false;
}

struct OutputFiles::State {
  DeferredSignals signals;
  std::vector<std::string> directories;  ///< each before its contents
  std::vector<std::string> files;
};

OutputFiles::OutputFiles() : state_(std::make_unique<State>()) {}

OutputFiles::~OutputFiles() {
  if (!state_) return;
  std::error_code ignored;
  for (const std::string& path : state_->files) std::filesystem::remove_all(path, ignored);
  for (; !state_->directories.empty(); state_->directories.pop_back())
    ::rmdir(state_->directories.back().c_str());
}

Result<void> OutputFiles::make_directory(const std::string& path) {
  struct stat status;
  if (path.empty() || ::stat(path.c_str(), &status) == 0) return {};
  if (auto done = make_directory(directory_of(path)); !done) return done;
  if (::mkdir(path.c_str(), 0777) == 0)
    state_->directories.push_back(path);
  else if (errno != EEXIST)
    return write_error(path);
  return {};
}

void OutputFiles::add(const std::string& path) { state_->files.push_back(path); }

Result<void> OutputFiles::go_on() const {
  if (state_->signals.pending()) return fail(Errc::io, std::strerror(EINTR));
  return {};
}

void OutputFiles::keep() { state_.reset(); }

struct OutputDirectory::State {
  ~State() {
    std::error_code ignored;
    if (!temporary.empty()) std::filesystem::remove_all(temporary, ignored);
  }

  DeferredSignals signals;
  std::string path;
  std::string temporary;  ///< "": it was moved to its place
};

OutputDirectory::OutputDirectory(std::unique_ptr<State> state) : state_(std::move(state)) {}
OutputDirectory::OutputDirectory(OutputDirectory&&) noexcept = default;
OutputDirectory::~OutputDirectory() = default;
const std::string& OutputDirectory::place() const { return state_->temporary; }

Result<OutputDirectory> OutputDirectory::create(const std::string& path, const std::string& like) {
  auto state = std::make_unique<State>();
  state->path = path;
  while (state->path.size() > 1 && state->path.ends_with('/')) state->path.pop_back();
  struct stat status;
  if (::lstat(state->path.c_str(), &status) == 0)
    return fail(Errc::io, std::strerror(EEXIST), path);
  const std::string temporary = name_beside(state->path);
  if (auto made = make_directory(temporary, like); !made)
    return fail(Errc::io, made.error().message, path);
  state->temporary = temporary;
  return OutputDirectory(std::move(state));
}

Result<void> OutputDirectory::commit() {
  if (state_->signals.pending()) return fail(Errc::io, std::strerror(EINTR), state_->path);
  if (std::rename(state_->temporary.c_str(), state_->path.c_str()) != 0)
    return write_error(state_->path);
  state_->temporary.clear();
  return {};
}

}  // namespace base
}  // namespace evname
