#include "screen/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "output/standard.hpp"

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
    draw(fmt::format("\revname: {:3} % of {} MB", done * 100 / total, total >> 20));
  else
    draw(fmt::format("\revname: {} MB", done >> 20));
}

void Progress::end() {
  if (std::exchange(shown_, false)) draw("\r\x1b[K");
}

}  // namespace evname::tools
