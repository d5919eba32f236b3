#include "record/control.hpp"

#include <fcntl.h>
#include <fmt/format.h>
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

/// Adds a byte to the order. Of one that is too long, the first part is an order, and the rest is
/// left out.
void Control::add(char byte, std::vector<std::string>& out) {
  if (byte != '\n' && byte != '\0') {
    if (order_.size() > kLongestOrder) return;
    order_ += byte;
    if (order_.size() > kLongestOrder) out.push_back(order_);
    return;
  }
  const std::string_view order = trim(order_);
  if (!order.empty() && order_.size() <= kLongestOrder) out.emplace_back(order);
  order_.clear();
}

/// An order ends with a newline, a zero byte, or the end of the file, which is not read again.
std::vector<std::string> Control::take() {
  std::vector<std::string> out;
  pollfd wait{orders_, POLLIN, 0};
  if (orders_ < 0 || poll(&wait, 1, 0) <= 0) return out;
  std::array<char, 512> bytes;
  const ssize_t got = read(orders_, bytes.data(), bytes.size());
  for (ssize_t i = 0; i < got; ++i) add(bytes[static_cast<std::size_t>(i)], out);
  if (got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN))) return out;
  add('\n', out);
  (void)epoll_ctl(both_, EPOLL_CTL_DEL, orders_, nullptr);
  if (is_ours_) ::close(orders_);
  orders_ = -1;
  return out;
}

/// As in perf, the answer includes its final zero. It does not wait for readers.
std::string Control::acknowledge() const {
  constexpr std::string_view kAnswer("ack\n\0", 5);
  if (answers_ < 0) return {};
  pollfd wait{answers_, POLLOUT, 0};
  if (poll(&wait, 1, 0) == 0) return "nobody reads the answers";
  if (write(answers_, kAnswer.data(), kAnswer.size()) >= 0) return {};
  return fmt::format("no answer can be written: {}", std::strerror(errno));
}

void Control::follow_orders(const std::function<bool(std::string_view)>& follow,
                            std::string_view known, const bool& ends, OrderFaults& faults) {
  for (const std::string& order : take()) {
    if (order.size() > kLongestOrder)
      faults.tell("too long", fmt::format("an order is longer than {} bytes", order.size() - 1));
    else if (!follow(order))
      faults.tell("unknown", fmt::format("'{}' is none of {}", order, known));
    else if (const std::string fault = acknowledge(); !fault.empty())
      faults.tell("not answered", fault);
    if (ends) return;
  }
}

void OrderFaults::tell(std::string_view kind, std::string_view text) {
  if (counts_[kind]++ == 0) tell_warning("--control: {}", text);
}

void OrderFaults::tell_rest() const {
  for (const auto& [kind, count] : counts_)
    if (count > 1)
      tell_warning("--control: {}: {}", counted(count - 1, "more order", "more orders"), kind);
}

}  // namespace evname::tools
