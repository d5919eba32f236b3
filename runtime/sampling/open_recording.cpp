#include "sampling/open_recording.hpp"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/read_file.hpp"
#include "base/text.hpp"
#include "counting/refusal.hpp"
#include "events/machine/groups.hpp"
#include "evname/attr.hpp"

namespace evname::sampling {
namespace {

/// Returns the size of the sample_id that sample_id_all adds to each record except samples.
std::size_t id_size(const counting::AttrBytes& bytes) {
  const std::uint64_t fields = counting::as_struct(bytes).sample_type;
  constexpr std::uint64_t kInTrailer[] = {perf_format::kSampleTid, perf_format::kSampleTime,
                                          perf_format::kSampleId,  perf_format::kSampleStreamId,
                                          perf_format::kSampleCpu, perf_format::kSampleIdentifier};
  std::size_t out = 0;
  for (const std::uint64_t bit : kInTrailer) out += (fields & bit) != 0 ? 8 : 0;
  return out;
}

}  // namespace

void OpenRecording::note(std::string text) {
  if (std::ranges::count(warnings, text) == 0) warnings.push_back(std::move(text));
}

OpenRecording::~OpenRecording() {
  rings.clear();
  for (const OpenEvent& event : events)
    for (const int file : event.files) ::close(file);
}

std::vector<RecordedEvent> OpenRecording::recorded_events() const {
  std::uint32_t size = 0;
  for (const OpenEvent& event : events)
    size = std::max(size, load<std::uint32_t>(event.attr.data() + 4, std::endian::native));
  std::vector<RecordedEvent> out;
  for (const OpenEvent& event : events)
    out.push_back({{reinterpret_cast<const char*>(event.attr.data()), size},
                   counting::name_of(event.encoding),
                   event.ids,
                   event.encoding.leader});
  return out;
}

Result<void> OpenRecording::order_all(unsigned long request, bool only_on_cpus) const {
  for (std::size_t i = 0; i + (has_own_tracker ? 1 : 0) < events.size(); ++i) {
    const OpenEvent& event = events[i];
    if (event.encoding.leader != i) continue;
    for (std::size_t k = 0; k < event.files.size(); ++k)
      if (!(only_on_cpus && event.places[k].thread >= 0) &&
          ioctl(event.files[k], request, PERF_IOC_FLAG_GROUP) != 0)
        return fail(Errc::io, std::strerror(errno));
  }
  return {};
}

Result<void> OpenRecording::order(std::size_t event, unsigned long request) const {
  if (event >= events.size()) return fail(Errc::invalid_argument, "there is no such event");
  for (const int file : events[event].files)
    if (ioctl(file, request, 0) != 0) return fail(Errc::io, std::strerror(errno));
  return {};
}

std::vector<int> OpenRecording::awaited_files() const {
  std::set<std::pair<int, int>> seen;
  std::vector<int> out;
  for (const OpenEvent& event : events)
    for (std::size_t k = 0; k < event.files.size(); ++k)
      if (seen.emplace(event.places[k].thread, event.places[k].cpu).second)
        out.push_back(event.files[k]);
  return out;
}

bool OpenRecording::samples_kernel() const {
  return std::ranges::any_of(
      events, [](const OpenEvent& event) { return !event.encoding.bits.exclude_kernel; });
}

void OpenRecording::existing_records(const RecordOptions& options, const RecordSink& sink,
                                     BuildIds* build_ids, bool ids_in_records, bool of_kernel) {
  const MadeRecords how{.id_size = id_size(events.front().attr),
                        .mappings = options.existing.mappings,
                        .data_mappings = data_mappings,
                        .roots = &options.setup.roots,
                        .build_ids = build_ids,
                        .ids_in_records = ids_in_records};
  if (of_kernel && !kernel_records(how, sink) && samples_kernel()) {
    const std::string_view why =
        is_directory(options.setup.roots.procfs + "/self")
            ? "the kernel keeps its addresses to itself (kernel.kptr_restrict): its functions have "
              "no names"
            : "no procfs is mounted: functions of the kernel have no names";
    note(std::string(why));
  }
  if (options.cgroups && options.existing.cgroups) cgroup_records(how, sink);
  if (options.setup.enable_on_exec)  // its mappings and its own name come with the execution
    for (const int process : processes)
      sink(name_record(how, process, process, name_of_thread(options.setup.roots, process)));
  else if (options.existing.processes)
    process_records(how, of_cpus ? std::span<const int>() : processes, sink);
}

namespace {

constexpr std::size_t kDefaultBuffer = 512 << 10;
constexpr std::size_t kDefaultTrace = 4 << 20, kDefaultTraceOfUsers = 128 << 10;

/// Returns true if the kernel does not limit the size of buffers: for root, or by its setting.
bool may_lock_memory(const Roots& roots) {
  return geteuid() == 0 ||
         text_of_file(roots.procfs + "/sys/kernel/perf_event_paranoid").starts_with('-');
}

class Mapper {
 public:
  Mapper(const RecordOptions& options, OpenRecording& out) : options_(options), out_(out) {}

  Result<void> map();

 private:
  Result<void> map_at(int file, const Place& at, std::size_t size, int& refused);
  Result<void> map_all(std::size_t size, int& refused);
  Result<void> map_trace(int file, const Place& at);
  std::size_t area_size() const;

  const RecordOptions& options_;
  OpenRecording& out_;
};

/// Returns the size of the area of a trace, which is the same for all CPUs.
std::size_t Mapper::area_size() const {
  const std::size_t page = memory_page();
  std::size_t out = may_lock_memory(options_.setup.roots) ? kDefaultTrace : kDefaultTraceOfUsers;
  if (options_.snapshot_size != 0) out = std::bit_ceil(options_.snapshot_size);
  if (options_.setup.trace_pages != 0) out = std::bit_floor(options_.setup.trace_pages) * page;
  return std::max(out, 2 * page);
}

Result<void> Mapper::map_trace(int file, const Place& at) {
  const std::size_t size = area_size();
  if (options_.snapshot_size > size)
    return fail(Errc::invalid_argument,
                fmt::format("snapshots of {} bytes are larger than the area, which has {}",
                            options_.snapshot_size, size));
  if (const int error = out_.rings.back().map_trace(file, size, options_.snapshots); error != 0)
    return fail(Errc::io,
                fmt::format("no area of {} KiB for the trace of {}: {}", size >> 10,
                            at.cpu >= 0 ? fmt::format("CPU {}", at.cpu)
                                        : fmt::format("thread {}", at.thread),
                            std::strerror(error)),
                {},
                error == EPERM ? "-m ,PAGES (trace_pages in a program) asks for less; sysctl "
                                 "kernel.perf_event_mlock_kb permits more memory, as does ulimit -l"
                               : "-m ,PAGES (trace_pages in a program) asks for less");
  out_.traces.push_back({out_.rings.size() - 1, at.cgroup >= 0 ? -1 : at.thread, at.cpu});
  return {};
}

/// Sets `refused` to an errno if the buffer can't be mapped.
Result<void> Mapper::map_at(int file, const Place& at, std::size_t size, int& refused) {
  Ring ring = Ring::map(file, size, refused);
  if (refused == 0) {
    out_.rings.push_back(std::move(ring));
    return {};
  }
  return fail(Error(
      Errc::io,
      fmt::format("no buffer of {} KiB for CPU {}: {}", size >> 10, at.cpu, std::strerror(refused)),
      {},
      refused == EPERM ? "sysctl kernel.perf_event_mlock_kb permits more memory, as does ulimit -l"
                       : ""));
}

/// All events of a CPU share the buffer of the first.
Result<void> Mapper::map_all(std::size_t size, int& refused) {
  std::map<std::pair<int, int>, int> buffers;
  for (std::size_t i = 0; i < out_.events.size(); ++i)
    for (std::size_t k = 0; k < out_.events[i].files.size(); ++k) {
      const int file = out_.events[i].files[k];
      const Place& at = out_.events[i].places[k];
      const auto key = options_.per_thread ? std::pair(at.thread, at.cpu) : std::pair(-1, at.cpu);
      if (const auto found = buffers.find(key); found != buffers.end()) {
        if (ioctl(file, PERF_EVENT_IOC_SET_OUTPUT, found->second) != 0)
          return fail(Errc::io, std::strerror(errno));
        continue;
      }
      if (auto done = map_at(file, at, size, refused); !done) return done;
      if (machine::is_aux(out_.events[i].encoding.pmu))
        if (auto done = map_trace(file, at); !done) return done;
      buffers.emplace(key, file);
    }
  return {};
}

Result<void> Mapper::map() {
  for (OpenEvent& event : out_.events)
    for (const int file : event.files) {
      std::uint64_t id = 0;
      if (ioctl(file, PERF_EVENT_IOC_ID, &id) != 0) return fail(Errc::io, std::strerror(errno));
      event.ids.push_back(id);
      fcntl(file, F_SETFL, O_NONBLOCK);
    }
  const bool has_traces = std::ranges::any_of(
      out_.events, [](const OpenEvent& event) { return machine::is_aux(event.encoding.pmu); });
  const std::size_t page = memory_page();
  const std::size_t usual =
      has_traces && !may_lock_memory(options_.setup.roots) ? kDefaultBuffer / 2 : kDefaultBuffer;
  const std::size_t wanted = options_.setup.buffer_pages != 0
                                 ? std::bit_floor(options_.setup.buffer_pages) * page
                                 : std::max(usual, page);
  for (std::size_t size = wanted;; size /= 2) {
    int refused = 0;
    auto done = map_all(size, refused);
    if (done && size < wanted)
      out_.note(
          fmt::format("buffers have {} KiB instead of {}: kernel.perf_event_mlock_kb permits no "
                      "more (sysctl changes it)",
                      size >> 10, wanted >> 10));
    if (done || (refused != EPERM && refused != ENOMEM) || size / 2 < page) return done;
    out_.rings.clear();
    out_.traces.clear();
  }
}

}  // namespace

Result<void> map_buffers(const RecordOptions& options, OpenRecording& recording) {
  return Mapper(options, recording).map();
}

}  // namespace evname::sampling
