#include "record/control.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string_view>

#include "base/text.hpp"
#include "screen/screen.hpp"

namespace evname::tools {
namespace {

constexpr std::string_view kOfFiles = "fd:", kOfFifos = "fifo:";
constexpr std::size_t kLongestOrder = 4096;

bool wait_for_both(int both, int file) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = file;
  return file < 0 || epoll_ctl(both, EPOLL_CTL_ADD, file, &event) == 0;
}

}  // namespace

std::string control_problem(const std::string& text) {
  const bool of_files = text.starts_with(kOfFiles), of_fifos = text.starts_with(kOfFifos);
  const std::string_view names = std::string_view(text).substr(of_files   ? kOfFiles.size()
                                                               : of_fifos ? kOfFifos.size()
                                                                          : 0);
  const auto parts = split(names, ',');
  bool is_good = (of_files || of_fifos) && parts.size() <= 2;
  for (const std::string_view part : parts) {
    const auto number = parse_decimal(part);
    is_good &= of_files ? number && *number <= INT_MAX : !part.empty();
  }
  return is_good ? "" : "'" + text + "' is neither fd:NUMBER[,NUMBER] nor fifo:PATH[,PATH]";
}

Control::~Control() {
  if (both_ >= 0) ::close(both_);
  for (const int file : {orders_, answers_})
    if (is_ours_ && file >= 0) ::close(file);
}

/// A fifo is opened for reading and writing, so that its writers may come and go.
bool Control::open(const std::string& text, int also) {
  is_ours_ = text.starts_with(kOfFifos);
  const auto parts = split(std::string_view(text).substr(text.find(':') + 1), ',');
  std::array<int*, 2> files{&orders_, &answers_};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string name(parts[i]);
    *files[i] = is_ours_ ? ::open(name.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC)
                         : static_cast<int>(*parse_decimal(name));
    if (*files[i] >= 0 && fcntl(*files[i], F_GETFD) >= 0) continue;
    return tell_error("--control: {}: {}", name, std::strerror(errno));
  }
  both_ = epoll_create1(EPOLL_CLOEXEC);
  if (both_ >= 0 && wait_for_both(both_, orders_) && wait_for_both(both_, also)) return true;
  return tell_error("--control: {}: {}", text, std::strerror(errno));
}

/// Reads the available bytes. Returns false if there are none; after the end it does not read
/// again.
bool Control::fill() {
  pollfd wait{orders_, POLLIN, 0};
  if (orders_ < 0 || poll(&wait, 1, 0) <= 0) return false;
  std::array<char, 512> bytes;
  const ssize_t got = read(orders_, bytes.data(), bytes.size());
  if (got > 0) waiting_.append(bytes.data(), static_cast<std::size_t>(got));
  if (got > 0 && waiting_.size() <= kLongestOrder) return true;
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return false;
  if (got <= 0) {
    (void)epoll_ctl(both_, EPOLL_CTL_DEL, orders_, nullptr);
    if (is_ours_) ::close(orders_);
    orders_ = -1;
  }
  return false;
}

/// An order ends with a newline, a zero byte, or the written bytes.
std::optional<std::string> Control::next() {
  constexpr std::string_view kEnds("\n\0", 2);
  while (waiting_.find_first_of(kEnds) == waiting_.npos && fill()) {
  }
  while (!waiting_.empty()) {
    const std::size_t end = std::min(waiting_.find_first_of(kEnds), waiting_.size());
    std::string order(trim(std::string_view(waiting_).substr(0, end)));
    waiting_.erase(0, end + 1);
    if (!order.empty()) return order;
  }
  return std::nullopt;
}

/// As in perf, the answer includes its final zero.
void Control::acknowledge() const {
  constexpr std::string_view kAnswer("ack\n\0", 5);
  if (answers_ >= 0 && write(answers_, kAnswer.data(), kAnswer.size()) < 0)
    tell_warning("--control: no answer can be written: {}", std::strerror(errno));
}

}  // namespace evname::tools
