#include "sampling/open_recording.hpp"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <set>
#include <utility>

#include "base/read_file.hpp"
#include "counting/refusal.hpp"
#include "evname/attr.hpp"

namespace evname::sampling {
namespace {

/// Returns the size of the sample_id that sample_id_all adds to each record except samples.
std::size_t id_size(const counting::AttrBytes& bytes) {
  perf_event_attr attr{};
  std::memcpy(&attr, bytes.data(), std::min(sizeof attr, bytes.size()));
  constexpr std::uint64_t kInTrailer[] = {perf_format::kSampleTid, perf_format::kSampleTime,
                                          perf_format::kSampleId,  perf_format::kSampleStreamId,
                                          perf_format::kSampleCpu, perf_format::kSampleIdentifier};
  std::size_t out = 0;
  for (const std::uint64_t bit : kInTrailer) out += (attr.sample_type & bit) != 0 ? 8 : 0;
  return out;
}

}  // namespace

void OpenRecording::note(std::string text) {
  if (std::ranges::count(notes, text) == 0) notes.push_back(std::move(text));
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
  const MadeRecords how{id_size(events.front().attr), data_mappings, &options.roots, build_ids,
                        ids_in_records};
  if (of_kernel && !kernel_records(how, sink) && samples_kernel()) {
    const std::string_view why =
        is_directory(options.roots.procfs + "/self")
            ? "the kernel keeps its addresses to itself (kernel.kptr_restrict): its functions have "
              "no names"
            : "no procfs is mounted: functions of the kernel have no names";
    note(std::string(why));
  }
  if (options.cgroups) cgroup_records(how, sink);
  if (options.enable_on_exec)  // its mappings and its own name come with the execution
    for (const int process : processes)
      sink(name_record(how, process, process, name_of_thread(options.roots, process)));
  else
    process_records(how, of_cpus ? std::span<const int>() : processes, sink);
}

}  // namespace evname::sampling
