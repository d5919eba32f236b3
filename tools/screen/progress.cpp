#include "screen/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace evname::tools {

using Clock = std::chrono::steady_clock;

// Work that takes no half second shows nothing.
Progress::Progress()
    : enabled_(::isatty(STDERR_FILENO) && !::isatty(STDOUT_FILENO)),
      next_(Clock::now() + std::chrono::milliseconds(500)) {}

std::function<void(std::uint64_t, std::uint64_t)> Progress::callback() {
  if (!enabled_) return {};
  return [this](std::uint64_t done, std::uint64_t total) { show(done, total); };
}

void Progress::show(std::uint64_t done, std::uint64_t total) {
  const auto now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  shown_ = true;
  if (total > 0)
    fmt::print(stderr, "\revname: {:3} % of {} MB", done * 100 / total, total >> 20);
  else
    fmt::print(stderr, "\revname: {} MB", done >> 20);
  std::fflush(stderr);
}

void Progress::end() {
  if (std::exchange(shown_, false)) fmt::print(stderr, "\r\x1b[K");
}

}  // namespace evname::tools
