#include "record/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "base/output_file.hpp"
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
  if (is_recording(path_)) {
    if (::rename(path_.c_str(), (path_ + ".old").c_str()) != 0) error_ = errno;
  }
  fd_ = ::open(path_.c_str(), kHowOpened | O_TRUNC, kForOwner);
  if (fd_ < 0 || error_ != 0) tell_error("{}: {}", path_, std::strerror(errno));
}

RecordFiles::~RecordFiles() {
  for (const int file : {fd_, next_})
    if (file > STDERR_FILENO) ::close(file);
}

int RecordFiles::open_next() {
  if (!name_by_time()) return -1;
  next_ = ::open(path_.c_str(), kHowOpened | O_EXCL, kForOwner);
  if (next_ < 0) tell_error("{}: {}", path_, std::strerror(errno));
  return next_;
}

void RecordFiles::keep_next() { ::close(std::exchange(fd_, std::exchange(next_, -1))); }

bool RecordFiles::name_by_time() {
  last_name_ = path_ + "." + time_suffix();
  for (unsigned more = 0; ::access(last_name_.c_str(), F_OK) == 0 && more < 100; ++more) {
    ::usleep(10'000);  // the time of the name after it
    last_name_ = path_ + "." + time_suffix();
  }
  if (::rename(path_.c_str(), last_name_.c_str()) != 0)
    return tell_error("{}: {}", last_name_, std::strerror(errno)), false;
  kept_.push_back(last_name_);
  if (most_ == 0 || kept_.size() <= most_) return true;
  ::unlink(kept_.front().c_str());
  kept_.pop_front();
  return true;
}

bool RecordFiles::end() { return !has_times_ || name_by_time(); }

void RecordFiles::discard() {
  if (fd_ > STDERR_FILENO && error_ == 0) ::unlink(path_.c_str());
}

}  // namespace evname::tools
