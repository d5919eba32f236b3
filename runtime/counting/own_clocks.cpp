#include "counting/own_clocks.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <ctime>

namespace evname::counting {
namespace {

constexpr std::uint64_t kBillion = 1'000'000'000;

std::uint64_t nanoseconds(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * kBillion +
         static_cast<std::uint64_t>(time.tv_usec) * 1000;
}

std::uint64_t wall_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * kBillion +
         static_cast<std::uint64_t>(now.tv_nsec);
}

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

std::string_view read_into(const char* path, char* buffer, std::size_t size) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t got = read(file, buffer, size);
  close(file);
  return {buffer, got > 0 ? static_cast<std::size_t>(got) : 0};
}

/// proc(5), /proc/ID/stat: utime and stime are 11 and 12 words behind the name in parentheses,
/// which may have spaces and parentheses itself.
std::uint64_t thread_time(ClockKind clock, int id) {
  char path[64], buffer[1024];
  std::snprintf(path, sizeof path, "/proc/%d/task/%d/stat", id, id);
  const std::string_view text = read_into(path, buffer, sizeof buffer);
  const std::size_t name_end = text.rfind(')');
  if (name_end == text.npos) return 0;
  return from_ticks(field(text.substr(name_end), clock == ClockKind::user ? 12 : 13));
}

/// proc(5), /proc/stat: "cpu0 USER NICE SYSTEM …"
std::uint64_t cpu_time(ClockKind clock, int cpu) {
  constexpr std::size_t kRoom = 1 << 15;  // some 300 CPUs
  char name[16], buffer[kRoom];
  const std::string_view text = read_into("/proc/stat", buffer, sizeof buffer);
  std::snprintf(name, sizeof name, "\ncpu%d ", cpu);
  const std::size_t at = text.find(name);
  if (at == text.npos) return 0;
  return from_ticks(field(text.substr(at), clock == ClockKind::user ? 1 : 3));
}

}  // namespace

std::optional<ClockKind> clock_of(std::string_view event) {
  if (event == "duration_time") return ClockKind::duration;
  if (event == "user_time") return ClockKind::user;
  if (event == "system_time") return ClockKind::system;
  return std::nullopt;
}

std::uint64_t clock_now(ClockKind clock, CountTarget::Kind kind, CountPlace place) {
  if (clock == ClockKind::duration) return wall_now();
  if (kind == CountTarget::Kind::this_thread) {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return nanoseconds(clock == ClockKind::user ? usage.ru_utime : usage.ru_stime);
  }
  return place.cpu >= 0 ? cpu_time(clock, place.cpu) : thread_time(clock, place.thread);
}

OwnClock::Times OwnClock::now() const { return {clock_now(clock_, kind_, place_), wall_now()}; }

void OwnClock::start() {
  if (runs_.exchange(true)) return;
  const Times at = now();
  value_ -= at.value;
  wall_ -= at.wall;
}

void OwnClock::stop() {
  if (!runs_) return;
  const Times at = now();
  value_ += at.value;
  wall_ += at.wall;
  runs_ = false;
}

CounterValue OwnClock::read() const {
  const bool runs = runs_;
  const Times at = runs ? now() : Times{0, 0};
  CounterValue out;
  out.value = value_ + at.value;
  out.enabled = out.running = wall_ + at.wall;
  out.scaled = static_cast<double>(out.value);
  return out;
}

}  // namespace evname::counting
