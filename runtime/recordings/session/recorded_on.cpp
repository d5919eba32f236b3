#include "recordings/session/recorded_on.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include <algorithm>
#include <ctime>
#include <optional>

#include "base/clock_ns.hpp"
#include "perf_format/features.hpp"
#include "recordings/session/record_order.hpp"

namespace evname::session {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

FileTimes times_of(const std::string& path) {
#ifdef STATX_BTIME
  struct statx info {};
  if (::statx(AT_FDCWD, path.c_str(), 0, STATX_BTIME | STATX_MTIME, &info) == 0) {
    const auto time = [&](std::uint32_t mask, const statx_timestamp& of) {
      return (info.stx_mask & mask) == 0 || of.tv_sec < 0
                 ? 0
                 : static_cast<std::uint64_t>(of.tv_sec) * kSecond + of.tv_nsec;
    };
    return {time(STATX_BTIME, info.stx_btime), time(STATX_MTIME, info.stx_mtime)};
  }
#endif
  struct stat old {};
  if (::stat(path.c_str(), &old) != 0) return {};
  return {0, ns_of(old.st_mtim)};
}

/// Returns true for a clock that starts with the machine. `kernel_clock`: there is no clockid, so
/// perf_event_open(2) uses the scheduler's clock.
bool counts_from_start(bool kernel_clock, std::uint32_t clockid) {
  return kernel_clock || clockid == CLOCK_MONOTONIC || clockid == CLOCK_MONOTONIC_RAW ||
         clockid == CLOCK_BOOTTIME;
}

/// The recorded clock was 0 between these times.
struct Start {
  std::uint64_t earliest = 0, latest = 0;
};

/// Returns nullopt if it is unknown. The file is made before the first record, and changed after
/// it.
std::optional<Start> start_of_clock(const perf_format::Features& features,
                                    const perf_format::Attr& clock, const FileTimes& file,
                                    std::uint64_t slack) {
  const bool kernel_clock = (clock.flags >> perf_format::kUseClockid & 1) == 0;
  if (!counts_from_start(kernel_clock, clock.clockid)) return std::nullopt;
  const auto& data = features.clock;
  if (data && !kernel_clock && data->clockid == clock.clockid && data->wall_clock > data->clock) {
    const std::uint64_t start = data->wall_clock - data->clock;
    return Start{start, start};
  }
  if (file.first == 0 || file.modified <= file.first) return std::nullopt;
  const std::uint64_t latest = file.modified - file.first;
  if (file.created > file.first) return Start{file.created - file.first, latest};
  return Start{latest - std::min(slack, latest), latest};
}

/// Returns the time of the first record that has one; from the feature if all are packed; 0: none.
std::uint64_t first_time(const stream::File& file) {
  if (file.streams.empty()) return 0;
  perf_format::RecordReader reader(file.streams.front().bytes, file.header.order);
  for (perf_format::Record record; reader.next(record);) {
    if (record.type >= perf_format::kRecordUserFirst) continue;
    const std::uint64_t time = record_time(record, file.events, file.header.order);
    if (has_place_in_time(time)) return time;
  }
  return file.features.sample_time ? (*file.features.sample_time)[0] : 0;
}

}  // namespace

ThisMachine ThisMachine::look() {
  ThisMachine out;
  utsname names{};
  if (::uname(&names) != 0) return out;
  out.hostname = names.nodename;
  out.release = names.release;
  perf_format::Features named;
  named.arch = names.machine;
  out.machine = perf_format::elf_machine(named);
  const std::uint64_t wall = clock_ns(CLOCK_REALTIME);
  out.uptime = clock_ns(CLOCK_BOOTTIME);
  out.started = wall - out.uptime;
  out.started_less_sleep = wall - clock_ns(CLOCK_MONOTONIC);
  return out;
}

std::uint64_t here_until(const perf_format::Features& features, const perf_format::Attr& clock,
                         const FileTimes& file, const ThisMachine& here) {
  if (features.hostname.empty() || features.hostname != here.hostname ||
      features.os_release != here.release || perf_format::elf_machine(features) != here.machine)
    return 0;
  // The kernel's clock can't be set, and gains or loses a few parts in 100,000.
  const std::uint64_t slack = 5 * kSecond + here.uptime / 20'000;
  const auto start = start_of_clock(features, clock, file, slack);
  if (!start || start->latest + slack < here.started ||
      start->earliest > here.started_less_sleep + slack)
    return 0;
  return file.modified;
}

RecordedOn recorded_now() {
  static const ThisMachine kHere = ThisMachine::look();
  return {.release = kHere.release,
          .machine = kHere.machine,
          .big_endian = std::endian::native == std::endian::big,
          .here_until = UINT64_MAX};
}

RecordedOn recorded_on(const stream::File& file) {
  RecordedOn out{.release = file.features.os_release,
                 .machine = perf_format::elf_machine(file.features),
                 .big_endian = file.header.order == std::endian::big,
                 .bpf_lines = std::make_shared<const BpfLines>(file.features)};
  if (file.events.list().empty()) return out;
  FileTimes times = times_of(file.main_path());
  times.first = first_time(file);
  out.here_until =
      here_until(file.features, file.events.list().front().attr, times, ThisMachine::look());
  return out;
}

}  // namespace evname::session
