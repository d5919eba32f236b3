#include "counting/own_clocks.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <utility>

#include "base/clock_ns.hpp"

namespace evname::counting {
namespace {

constexpr std::uint64_t kBillion = 1'000'000'000;

std::uint64_t nanoseconds(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * kBillion +
         static_cast<std::uint64_t>(time.tv_usec) * 1000;
}

std::uint64_t wall_now() { return clock_ns(CLOCK_MONOTONIC); }

std::uint64_t from_ticks(std::uint64_t ticks) {
  static const auto kPerSecond = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  return ticks * (kBillion / kPerSecond);
}

/// The number after so many spaces; 0 if there is none.
std::uint64_t field(std::string_view text, int number) {
  while (number > 0) {
    const std::size_t at = text.find(' ');
    if (at == text.npos) return 0;
    text.remove_prefix(at + 1);
    --number;
  }
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Calls `find` with pieces of a file, and returns its result. A piece begins with the incomplete
/// last line of the piece before. Allocates nothing.
template <class Find>
std::optional<std::uint64_t> find_in_file(const char* path, Find find) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  char buffer[4096];
  std::size_t size = 0;
  std::optional<std::uint64_t> out;
  while (!out) {
    const ssize_t got = read(file, buffer + size, sizeof buffer - size);
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
    const std::string_view text(buffer, size);
    out = find(text);
    if (size < sizeof buffer) continue;
    // The last line goes on, unless it is longer than the buffer.
    const std::size_t line = text.rfind('\n');
    const std::size_t kept = line == text.npos || line == 0 ? 0 : size - line;
    std::memmove(buffer, buffer + size - kept, kept);
    size = kept;
  }
  close(file);
  return out;
}

/// proc(5), /proc/ID/stat: utime and stime are 11 and 12 words behind the name in parentheses,
/// which may have spaces and parentheses itself.
std::optional<std::uint64_t> thread_time(ClockKind clock, int id) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/task/%d/stat", id, id);
  return find_in_file(path, [&](std::string_view text) -> std::optional<std::uint64_t> {
    const std::size_t name_end = text.rfind(')');
    if (name_end == text.npos || !text.ends_with('\n')) return std::nullopt;
    return from_ticks(field(text.substr(name_end), clock == ClockKind::user ? 12 : 13));
  });
}

}  // namespace

std::optional<ClockKind> clock_of(std::string_view event) {
  if (event == "duration_time") return ClockKind::duration;
  if (event == "user_time") return ClockKind::user;
  if (event == "system_time") return ClockKind::system;
  return std::nullopt;
}

/// proc(5), /proc/stat: "cpu0 USER NICE SYSTEM …". No CPU is on the first line.
std::optional<std::uint64_t> time_of_cpu(const char* stat_file, ClockKind clock, int cpu) {
  char name[16];
  std::snprintf(name, sizeof name, "\ncpu%d ", cpu);
  return find_in_file(stat_file, [&](std::string_view text) -> std::optional<std::uint64_t> {
    const std::size_t at = text.find(name);
    if (at == text.npos || text.find('\n', at + 1) == text.npos) return std::nullopt;
    return from_ticks(field(text.substr(at + 1), clock == ClockKind::user ? 1 : 3));
  });
}

std::optional<std::uint64_t> clock_now(ClockKind clock, CountTarget::Kind kind,
                                       Counters::Place place) {
  if (clock == ClockKind::duration) return wall_now();
  if (kind == CountTarget::Kind::this_thread) {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return nanoseconds(clock == ClockKind::user ? usage.ru_utime : usage.ru_stime);
  }
  return place.cpu >= 0 ? time_of_cpu("/proc/stat", clock, place.cpu)
                        : thread_time(clock, place.thread);
}

/// The time of a thread that has ended, or of a CPU that is offline, stands still.
OwnClock::Times OwnClock::now() const {
  if (const auto known = clock_now(clock_, kind_, place_)) last_ = *known;
  return {last_, wall_now()};
}

void OwnClock::start() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(runs_, true)) return;
  const Times at = now();
  value_ -= at.value;
  wall_ -= at.wall;
}

void OwnClock::stop() {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(runs_, false)) return;
  const Times at = now();
  value_ += at.value;
  wall_ += at.wall;
}

CounterValue OwnClock::read() const {
  const std::lock_guard lock(mutex_);
  const Times at = runs_ ? now() : Times{0, 0};
  CounterValue out;
  out.value = value_ + at.value;
  out.enabled = out.running = wall_ + at.wall;
  out.scaled = static_cast<double>(out.value);
  return out;
}

}  // namespace evname::counting
