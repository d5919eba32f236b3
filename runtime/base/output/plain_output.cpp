// Implements output_file.hpp for WebAssembly, which has no processes, users and signals. Its files
// are in memory, so nobody sees them half written, and there is nothing to sync or to protect.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/output/output_directory.hpp"
#include "base/output/output_file.hpp"
#include "base/output/write_all.hpp"
#include "base/output/write_progress.hpp"
#include "base/read_file.hpp"

namespace evname {
inline namespace base {
namespace {

tl::unexpected<Error> plain_error(const std::string& path) {
  return fail(Errc::io, std::strerror(errno), path);
}

bool is_there(const std::string& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0;
}

}  // namespace

Result<void> check_replaceable(const std::string& path, std::span<const std::string> inputs,
                               bool force) {
  if (path != "-" && std::ranges::find(inputs, path) != inputs.end())
    return fail(Errc::invalid_argument, "is an input, which an output can't replace", path);
  if (const char* kind = force || path == "-" ? nullptr : protected_kind(path))
    return fail(Errc::invalid_argument, fmt::format("is {}, which is not replaced", kind), path);
  return {};
}

class OutputFile::State {
 public:
  explicit State(std::string path) : path_(std::move(path)) {}
  ~State() {
    if (is_own() && file_.get() >= 0) ::unlink(path_.c_str());
    if (!is_own()) file_.release();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Result<void> open() {
    file_ = Descriptor(is_own() ? ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666)
                                : STDOUT_FILENO);
    if (file_.get() < 0) return plain_error(path_);
    return {};
  }

  WriteProgress& progress() { return progress_; }

  Result<void> write(std::string_view bytes) {
    if (auto fine = progress_.go_on(0); !fine) return fine;
    if (!write_all(file_.get(), bytes)) return plain_error(path_);
    progress_.wrote(bytes.size());
    return {};
  }

  Result<void> commit() {
    const Descriptor done(is_own() ? file_.release() : -1);
    return {};
  }

 private:
  bool is_own() const { return path_ != "-"; }

  std::string path_;
  Descriptor file_;  ///< -1: in its place
  WriteProgress progress_;
};

OutputFile::OutputFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
OutputFile::~OutputFile() = default;
OutputFile::OutputFile(OutputFile&&) noexcept = default;

Result<OutputFile> OutputFile::create(const std::string& path,
                                      std::span<const std::string> made_from, Replaces replaces) {
  if (replaces == Replaces::nothing && is_there(path))
    return fail(Errc::io, std::strerror(EEXIST), path);
  if (replaces == Replaces::others)
    if (auto fine = check_replaceable(path, made_from, true); !fine) return fail(fine);
  auto state = std::make_unique<State>(path);
  if (auto opened = state->open(); !opened) return fail(opened);
  return OutputFile(std::move(state));
}

void OutputFile::tell(std::function<bool(std::uint64_t)> progress) {
  state_->progress().tell(std::move(progress));
}
Result<void> OutputFile::go_on(std::uint64_t bytes) { return state_->progress().go_on(bytes); }
Result<void> OutputFile::write(std::string_view bytes) { return state_->write(bytes); }
bool OutputFile::can_replace() const { return false; }
Result<void> OutputFile::is_also_made_from(std::span<const std::string>) { return {}; }
Result<void> OutputFile::replace(std::string_view) { return {}; }
Result<void> OutputFile::wait_for(int) const { return {}; }
Result<void> OutputFile::commit() { return state_->commit(); }

Result<void> OutputFile::copy(int, std::uint64_t, Bytes bytes) {
  return write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Result<void> OutputFile::copy_file(const std::string& path) {
  const auto source = open_regular(path);
  if (!source) return fail(source);
  std::string buffer(1 << 18, '\0');
  for (;;) {
    const ssize_t got = ::read(source->get(), buffer.data(), buffer.size());
    if (got < 0) return plain_error(path);
    if (got == 0) return {};
    if (auto done = write({buffer.data(), static_cast<std::size_t>(got)}); !done) return done;
  }
}

Result<void> make_directory(const std::string& path, const std::string&) {
  if (::mkdir(path.c_str(), 0777) != 0) return plain_error(path);
  return {};
}

struct OutputFiles::State {};
OutputFiles::OutputFiles() = default;
OutputFiles::~OutputFiles() = default;

Result<void> OutputFiles::make_directory(const std::string& path) {
  if (path.empty() || is_there(path)) return {};
  const auto slash = path.rfind('/');
  if (slash != path.npos)
    if (auto done = make_directory(path.substr(0, slash)); !done) return done;
  return base::make_directory(path, {});
}

void OutputFiles::add(const std::string&) {}

Result<void> OutputFiles::go_on() const { return {}; }

void OutputFiles::keep() {}

struct OutputDirectory::State {
  std::string path;
};

OutputDirectory::OutputDirectory(std::unique_ptr<State> state) : state_(std::move(state)) {}
OutputDirectory::OutputDirectory(OutputDirectory&&) noexcept = default;
OutputDirectory::~OutputDirectory() = default;
const std::string& OutputDirectory::place() const { return state_->path; }

bool is_in_directory(const std::string& path, const std::string& directory) {
  return path.starts_with(directory + "/");
}

Result<OutputDirectory> OutputDirectory::create(const std::string& path, const std::string& like) {
  if (is_there(path)) return fail(Errc::io, std::strerror(EEXIST), path);
  if (auto made = make_directory(path, like); !made) return fail(made);
  return OutputDirectory(std::unique_ptr<State>(new State{path}));
}

Result<void> OutputDirectory::commit() { return {}; }

}  // namespace base
}  // namespace evname
