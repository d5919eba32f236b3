#include "record/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/output/output_file.hpp"
#include "base/read_file.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"

namespace evname::tools {
namespace {

constexpr int kHowOpened = O_RDWR | O_CREAT | O_CLOEXEC;
constexpr mode_t kForOwner = 0600;

/// "2026112315041131": the local time, with hundredths of a second.
std::string time_suffix() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  tm parts{};
  localtime_r(&now.tv_sec, &parts);
  return fmt::format("{:04}{:02}{:02}{:02}{:02}{:02}{:02}", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     now.tv_nsec / 10'000'000);
}

/// Returns an unused name beside `path` that ends with the time.
std::string free_name(const std::string& path) {
  std::string out = path + "." + time_suffix();
  for (unsigned more = 0; ::access(out.c_str(), F_OK) == 0 && more < 100; ++more) {
    ::usleep(10'000);  // the time of the name after it
    out = path + "." + time_suffix();
  }
  return out;
}

bool rename_or_tell(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return true;
  return tell_error("{} can't become {}: {}", from, to, std::strerror(errno));
}

}  // namespace

RecordFiles::RecordFiles(const RecordArguments& given)
    : path_(given.output),
      last_name_(given.output),
      most_(given.most_files),
      has_times_(given.timestamps_in_names || !given.switch_output.empty()) {
  if (given.to_stream()) {
    has_times_ = false;
    if (may_replace("-o", path_, {}, given.force)) fd_ = STDOUT_FILENO;
    return;
  }
  std::error_code failed;
  if (std::filesystem::is_symlink(path_, failed)) {
    path_ = std::filesystem::canonical(given.output, failed).string();
    if (failed) path_ = given.output;  // a link to a file that is not there yet
    is_regular_ = !failed;
  }
  struct stat found = {};
  const bool is_there = ::stat(path_.c_str(), &found) == 0;
  if (is_there) is_regular_ = is_regular_ && S_ISREG(found.st_mode);
  if (!is_regular_ && has_times_) {
    tell_error("{}: is not a regular file, and can't be named by the time", path_);
    return;
  }
  if (is_regular_ && found.st_size > 0 && !move_aside(given.force)) return;
  was_empty_ = is_there && is_regular_ && !is_aside_;
  last_name_ = path_;
  fd_ = ::open(path_.c_str(), kHowOpened | O_TRUNC, kForOwner);
  if (fd_ < 0) tell_error("{}: {}", path_, std::strerror(errno));
}

RecordFiles::~RecordFiles() {
  if (!has_begun_ && was_empty_ && fd_ >= 0) (void)!::ftruncate(fd_, 0);
  for (const int file : {fd_, next_})
    if (file > STDERR_FILENO) ::close(file);
  if (has_begun_) return;
  if (is_regular_ && !was_empty_ && fd_ > STDERR_FILENO) ::unlink(path_.c_str());
  if (is_aside_) ::rename(old_.c_str(), path_.c_str());
  if (!older_.empty()) ::rename(older_.c_str(), old_.c_str());
}

bool RecordFiles::move_aside(bool force) {
  struct stat found;
  old_ = path_ + ".old";
  if (::lstat(old_.c_str(), &found) == 0) {
    if (!force && !is_recording(old_) && (!S_ISREG(found.st_mode) || found.st_size > 0))
      return tell_error(
          "{}: {} would become {}, which is not a recording and is not replaced without --force",
          path_, path_, old_);
    const std::string name = free_name(old_);
    if (!rename_or_tell(old_, name)) return false;
    older_ = name;
  }
  return is_aside_ = rename_or_tell(path_, old_);
}

void RecordFiles::begun() {
  has_begun_ = true;
  if (!older_.empty()) ::unlink(older_.c_str());
}

int RecordFiles::open_next() {
  if (!name_by_time()) return -1;
  next_ = ::open(path_.c_str(), kHowOpened | O_EXCL, kForOwner);
  if (next_ < 0) tell_error("{}: {}", path_, std::strerror(errno));
  return next_;
}

/// Some file systems report a failed write only when the file is closed.
bool RecordFiles::close_whole() {
  const int file = std::exchange(fd_, -1);
  if (file <= STDERR_FILENO) return true;
  if (::close(file) != 0 && errno != EINTR)
    return tell_error("{}: {}", last_name_, std::strerror(errno));
  if (!is_lost_ && ::access(last_name_.c_str(), F_OK) == 0) return true;
  if (!std::exchange(is_lost_, true)) tell_error("{}: {}", last_name_, std::strerror(errno));
  return false;
}

bool RecordFiles::keep_next() {
  const bool is_whole = close_whole();
  fd_ = std::exchange(next_, -1);
  return is_whole;
}

bool RecordFiles::name_by_time() {
  if (is_lost_) return false;
  const std::string name = free_name(path_);
  is_lost_ = !rename_or_tell(path_, name);
  if (is_lost_) return false;
  last_name_ = name;
  kept_.push_back(last_name_);
  if (most_ == 0 || kept_.size() <= most_) return true;
  ::unlink(kept_.front().c_str());
  kept_.pop_front();
  return true;
}

bool RecordFiles::end() {
  const bool is_named = !has_times_ || name_by_time();
  return close_whole() && is_named;
}

}  // namespace evname::tools
