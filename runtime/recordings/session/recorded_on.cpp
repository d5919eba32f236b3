#include "recordings/session/recorded_on.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include <algorithm>
#include <ctime>
#include <optional>

#include "base/clock_ns.hpp"
#include "base/text.hpp"
#include "evname/symbols.hpp"
#include "perf_format/features.hpp"
#include "perf_format/record.hpp"
#include "recordings/session/record_order.hpp"
#include "recordings/symbols/mapping_kinds.hpp"

namespace evname::session {
namespace {

std::string_view text_at(const std::string& texts, std::size_t offset) {
  return offset < texts.size() ? std::string_view(texts.c_str() + offset) : std::string_view();
}

}  // namespace

BpfLines::BpfLines(const perf_format::Features& features) {
  for (const perf_format::BpfProgram& program : features.bpf_programs) {
    const auto btf = std::ranges::find(features.bpf_btf, program.btf_id, &perf_format::BpfBtf::id);
    if (program.btf_id == 0 || btf == features.bpf_btf.end() || program.lines.empty()) continue;
    std::vector<perf_format::BpfFunction> functions = program.functions;
    std::ranges::sort(functions, {}, &perf_format::BpfFunction::start);
    for (const perf_format::BpfLine& line : program.lines) {
      const auto next =
          std::ranges::upper_bound(functions, line.address, {}, &perf_format::BpfFunction::start);
      if (next == functions.begin()) continue;
      functions_[{next[-1].start, next[-1].tag}].push_back(
          {line.address, text_at(btf->texts, line.source), line.line});
    }
  }
  for (auto& [function, lines] : functions_)
    std::ranges::stable_sort(lines, {}, &CodeLine::address);
}

std::span<const CodeLine> BpfLines::of(std::uint64_t start, std::string_view name) const {
  constexpr std::string_view kPrefix = "bpf_prog_";
  constexpr std::size_t kDigits = 16;
  if (functions_.empty() || !name.starts_with(kPrefix)) return {};
  const auto tag = parse_hex(name.substr(kPrefix.size(), kDigits));
  const auto at = tag ? functions_.find({start, *tag}) : functions_.end();
  return at == functions_.end() ? std::span<const CodeLine>() : at->second;
}

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
  using enum perf_format::ClockId;
  return kernel_clock || clockid == kMonotonic || clockid == kMonotonicRaw || clockid == kBoottime;
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
  out.uptime = uptime_ns();
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
                 .bpf_lines = std::make_shared<const BpfLines>(file.features),
                 .names = file.features.names          ? &file.features.names
                          : file.features.symbol_lists ? &file.features.symbol_lists
                                                       : nullptr,
                 .run_time_code = file.features.run_time_code};
  if (file.events.list().empty()) return out;
  FileTimes times = times_of(file.main_path());
  times.first = first_time(file);
  out.here_until =
      here_until(file.features, file.events.list().front().attr, times, ThisMachine::look());
  return out;
}

namespace {

std::string module_name(std::string_view file) { return dso_name({.file = file, .kernel = true}); }

}  // namespace

// Without an entry of its name, the kernel's build id is in the entry of a file that perf took for
// the kernel, as with `perf inject --vmlinux`: dsos__find_kernel_dso of tools/perf/util/dsos.c.
RecordedBuildIds::RecordedBuildIds(const std::vector<perf_format::BuildId>& entries) {
  const perf_format::BuildId* image = nullptr;
  for (const perf_format::BuildId& one : entries) {
    const std::uint16_t mode = one.misc & perf_format::kCpuMode;
    if (one.pid != -1 || (mode != perf_format::kCpuModeKernel && mode != perf_format::kCpuModeUser))
      continue;
    files_.emplace(one.file, &one);
    if (symbols::is_kernel_image(one.file)) {
      if (!kernel_) kernel_ = &one;
    } else if (mode != perf_format::kCpuModeKernel || one.file.empty() ||
               symbols::is_vdso(one.file)) {
      continue;
    } else if (symbols::is_module(one.file)) {
      modules_.emplace(module_name(one.file), &one);
    } else if (!image) {
      image = &one;
    }
  }
  if (!kernel_) kernel_ = image;
}

const perf_format::BuildId* RecordedBuildIds::module(std::string_view file) const {
  const auto at = modules_.find(module_name(file));
  return at == modules_.end() ? nullptr : at->second;
}

const perf_format::BuildId* RecordedBuildIds::file(std::string_view path) const {
  const auto at = files_.find(path);
  return at == files_.end() ? nullptr : at->second;
}

}  // namespace evname::session
