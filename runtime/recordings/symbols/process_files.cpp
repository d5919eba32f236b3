#include "recordings/symbols/process_files.hpp"

#include <cerrno>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock_ns.hpp"
#include "base/read_file.hpp"
#include "base/text.hpp"

namespace evname::symbols {
namespace {

constexpr std::uint64_t kSecondNs = 1'000'000'000;

/// Returns when a process started, in ns since the Epoch; nullopt if there is none of that number
/// (proc_pid_stat(5): field 22, in ticks since the machine started).
std::optional<std::uint64_t> start_of_process(std::int32_t pid) {
  const std::string stat = read_head(fmt::format("/proc/{}/stat", pid)).value_or("");
  const std::size_t name_end = stat.rfind(')');  // a name may have any characters
  if (name_end == std::string::npos || name_end + 2 > stat.size()) return std::nullopt;
  const auto fields = split(std::string_view(stat).substr(name_end + 2), ' ');  // from the third on
  constexpr std::size_t kStart = 22 - 3;
  const auto ticks = fields.size() > kStart ? parse_decimal(fields[kStart]) : std::nullopt;
  const long per_second = ::sysconf(_SC_CLK_TCK);
  if (!ticks || per_second <= 0) return std::nullopt;
  const std::uint64_t boot = clock_ns(CLOCK_REALTIME) - uptime_ns();
  return boot + *ticks * (kSecondNs / static_cast<std::uint64_t>(per_second));
}

/// Returns the last number of "NSpid:", the pid in the innermost namespace.
std::int32_t innermost_pid(std::int32_t pid) {
  const std::string status = read_head(fmt::format("/proc/{}/status", pid)).value_or("");
  const std::size_t at = status.find("\nNSpid:");
  if (at == std::string::npos) return pid;
  const std::string_view line = std::string_view(status).substr(at + 1);
  const auto words = split(line.substr(0, line.find('\n')), '\t');
  const auto number = parse_decimal(words.back());
  return number && *number <= INT32_MAX ? static_cast<std::int32_t>(*number) : pid;
}

/// Returns the file that a path leads to; nullopt on failure.
std::optional<struct stat> file_at(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? std::optional(info) : std::nullopt;
}

}  // namespace

ProcessView ProcessFiles::look(std::int32_t pid, std::uint64_t here_until) {
  const auto start = start_of_process(pid);
  if (!start || *start > here_until) return {};
  ProcessView view{.pid = innermost_pid(pid)};
  const std::string process = fmt::format("/proc/{}", pid);
  errno = 0;
  const auto own = file_at("/"), mounts = file_at("/proc/self/ns/mnt");
  const auto root = file_at(process + "/root/");
  view.is_denied = !root && errno == EACCES;
  const auto its_mounts = file_at(process + "/ns/mnt");
  if (!own || !mounts || !root || !its_mounts) return view;
  const auto identity = [](const struct stat& namespace_file, const struct stat& directory) {
    return Identity(namespace_file.st_ino, directory.st_dev, directory.st_ino);
  };
  const Identity its = identity(*its_mounts, *root);
  if (its == identity(*mounts, *own)) return view;
  view.root = roots_.try_emplace(its, process + "/root").first->second;
  return view;
}

ProcessView ProcessFiles::view(std::span<const std::int32_t> pids, std::uint64_t here_until) {
  if (here_until == 0) return {};
  ProcessView first;
  const std::lock_guard lock(mutex_);
  for (const std::int32_t pid : pids) {
    if (pid <= 0) continue;
    const auto [at, is_new] = views_.try_emplace({pid, here_until});
    if (is_new) at->second = look(pid, here_until);
    if (!at->second.root.empty()) return at->second;
    if (first.pid == -1) first = at->second;
  }
  return first;
}

}  // namespace evname::symbols
