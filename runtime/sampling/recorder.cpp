#include "evname/recorder.hpp"
#include "evname/attr.hpp"

#include <poll.h>
#include <sys/ioctl.h>

#include <linux/perf_event.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include <fmt/format.h>

#include "base/read_file.hpp"
#include "base/text.hpp"
#include "counting/refusal.hpp"
#include "events/cpu/live_cpu.hpp"
#include "events/machine/groups.hpp"
#include "perf_format/record.hpp"
#include "sampling/build_ids.hpp"
#include "sampling/existing.hpp"
#include "sampling/open_recording.hpp"
#include "sampling/recording_writer.hpp"

namespace evname {
namespace {

using sampling::RingContent;

}  // namespace

struct Recorder::State {
  State(Machine of, RecordOptions how, sampling::OpenRecording opened)
      : machine(std::move(of)), options(std::move(how)), open(std::move(opened)) {
    are_traces_on = options.setup.enable_on_exec;
    written.resize(open.rings.size());
    for (const sampling::OpenEvent& event : open.events) {
      const perf_event_attr attr = counting::as_struct(event.attr);
      events.push_back(event.encoding);
      // After the header: the identifier unless the event is alone, ip, pid and tid.
      time_at = (attr.sample_type & perf_format::kSampleIdentifier) != 0 ? 32 : 24;
      has_build_ids &= attr.mmap == 0 || attr.build_id != 0;
    }
  }

  sampling::FeatureSections features() const;
  Result<void> write_existing();
  Result<bool> drain();
  Result<void> take(std::size_t ring, const RingContent& content);
  Result<void> write_trace(const sampling::TraceSource& source, const RingContent& content);
  Result<bool> take_trace(const sampling::TraceSource& source);
  Result<void> take_snapshot();
  Result<void> order_traces(unsigned long request);
  Result<void> order(std::optional<std::size_t> event, bool on);
  Result<void> begin_file(int fd);
  Result<void> finish_file();
  void see_mapping(const RingContent& content, std::size_t at, std::size_t size);
  void look_at(std::size_t ring, const RingContent& content);
  void look_for_cpus();

  Machine machine;
  RecordOptions options;
  sampling::OpenRecording open;
  std::vector<Encoding> events;
  std::optional<sampling::RecordingWriter> writer;
  std::vector<pollfd> waits;
  RecordTally tally;
  timespec looked{};  ///< when CPUs were looked for
  std::uint64_t first_time = UINT64_MAX, last_time = 0;
  std::size_t time_at = 0;    ///< of a sample's time in its record
  bool has_build_ids = true;  ///< the kernel records build ids of files
  bool is_full = false;
  bool are_traces_on = false;  ///< or will be enabled by the execution of a program
  sampling::BuildIds build_ids;
  std::vector<std::uint8_t> copy;  ///< of a record that wraps
  /// Bytes of traces by the records of each buffer, since the last snapshot.
  std::vector<std::uint64_t> written;
  std::uint64_t lost_before = 0;  ///< records, at the last snapshot
  /// Places of AUXTRACE records in the file.
  std::vector<std::uint64_t> trace_places;
};

sampling::FeatureSections Recorder::State::features() const {
  auto out = sampling::features_of(
      machine, options, {open.recorded_events(), events, first_time, last_time, trace_places});
  if (auto ids = build_ids.section(); !ids.empty())
    out[perf_format::Feature::build_id] = std::move(ids);
  return out;
}

Result<void> Recorder::State::write_existing() {
  std::string records;
  Result<void> done;
  const auto sink = [&](std::string_view record) {
    build_ids.see({reinterpret_cast<const std::uint8_t*>(record.data()), record.size()});
    records += record;
    if (records.size() < (std::size_t{64} << 10) || !done) return;
    done = writer->write_records(records);
    records.clear();
  };
  open.existing_records(options, sink, &build_ids, has_build_ids);
  if (done && !records.empty()) done = writer->write_records(records);
  return done;
}

/// Counts samples and losses, and notes the times of samples. Stops at an invalid size; the bytes
/// are kept for readers to judge.
void Recorder::State::look_at(std::size_t ring, const RingContent& content) {
  for (std::size_t at = 0; at + perf_format::kRecordHeader <= content.size();) {
    const std::uint64_t head = content.word(at);
    const auto* const header = reinterpret_cast<const std::uint8_t*>(&head);
    const auto type = load<std::uint32_t>(header, std::endian::native);
    const std::size_t size = load<std::uint16_t>(header + 6, std::endian::native);
    if (size < perf_format::kRecordHeader || size % 8 != 0 || size > content.size() - at) return;
    if (type == perf_format::kRecordSample && size >= time_at + 8) {
      ++tally.samples;
      const std::uint64_t time = content.word(at + time_at);
      first_time = std::min(first_time, time);
      last_time = std::max(last_time, time);
    } else if (type == perf_format::kRecordLost && size >= 24) {
      tally.lost += content.word(at + 16);
    } else if (type == perf_format::kRecordLostSamples && size >= 16) {
      tally.lost += content.word(at + 8);
    } else if (type == perf_format::kRecordAux && size >= 32) {
      written[ring] += content.word(at + 16);
      tally.truncated += (content.word(at + 24) & perf_format::kAuxTruncated) != 0;
    } else if (type == perf_format::kRecordMmap || type == perf_format::kRecordMmap2) {
      see_mapping(content, at, size);
    }
    at += size;
  }
}

void Recorder::State::see_mapping(const RingContent& content, std::size_t at, std::size_t size) {
  copy.resize(size);
  for (std::size_t i = 0; i < size; i += sizeof(std::uint64_t)) {
    const std::uint64_t word = content.word(at + i);
    std::memcpy(copy.data() + i, &word, sizeof word);
  }
  build_ids.see(copy);
}

Result<void> Recorder::State::take(std::size_t ring, const RingContent& content) {
  auto done = writer->write(content);
  look_at(ring, content.part(0, done ? content.size() : writer->kept()));
  tally.bytes = writer->size();
  return done;
}

Result<void> Recorder::State::write_trace(const sampling::TraceSource& source,
                                          const RingContent& content) {
  if (!writer->is_stream()) trace_places.push_back(writer->size());
  auto done = writer->write_trace(sampling::trace_record(source, content), content);
  if (!done) {
    if (!writer->is_stream()) trace_places.pop_back();
    return done;
  }
  tally.traced += content.size();
  tally.bytes = writer->size();
  return {};
}

/// Writes the bytes that were added to a trace since the last call. Returns false if there were
/// none.
Result<bool> Recorder::State::take_trace(const sampling::TraceSource& source) {
  sampling::Ring& ring = open.rings[source.ring];
  const auto content = ring.read_trace();
  if (!content) ++tally.dropped;
  if (!content || content->size() == 0) return false;
  if (auto done = write_trace(source, *content); !done) return fail(std::move(done));
  ring.release_trace(content->end);
  return true;
}

Result<void> Recorder::State::take_snapshot() {
  const std::size_t most = options.snapshot_size != 0 ? options.snapshot_size : SIZE_MAX;
  const bool is_known = std::exchange(lost_before, tally.lost) == tally.lost;
  for (const sampling::TraceSource& source : open.traces) {
    const std::uint64_t new_bytes = std::exchange(written[source.ring], 0);
    const auto content =
        open.rings[source.ring].newest_trace(is_known ? new_bytes : UINT64_MAX, most);
    if (!content) ++tally.dropped;
    if (!content || content->size() == 0) continue;
    if (auto done = write_trace(source, *content); !done) return done;
  }
  return writer->end_round();
}

Result<void> Recorder::State::order_traces(unsigned long request) {
  for (std::size_t i = 0; i < events.size(); ++i)
    if (machine::is_aux(events[i].pmu))
      if (auto done = open.order(i, request); !done) return done;
  return {};
}

/// Takes the contents of all buffers. Returns false if they were empty.
Result<bool> Recorder::State::drain() {
  bool any = false;
  for (std::size_t i = 0; i < open.rings.size(); ++i) {
    sampling::Ring& ring = open.rings[i];
    const auto content = ring.read();
    if (!content) {
      ++tally.dropped;
      continue;
    }
    if (content->size() == 0) continue;
    any = true;
    if (auto done = take(i, *content); !done) return fail(std::move(done));
    ring.release(content->end);
  }
  for (const sampling::TraceSource& source : open.traces) {
    if (options.snapshots) break;
    auto taken = take_trace(source);
    if (!taken) return taken;
    any |= *taken;
  }
  if (any)
    if (auto done = writer->end_round(); !done) return fail(std::move(done));
  is_full = options.max_size != 0 && writer->size() >= options.max_size;
  return any;
}

/// Notes the CPUs that went offline, whose events the kernel closes for good. Looks once a second.
void Recorder::State::look_for_cpus() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (!open.of_cpus || now.tv_sec == looked.tv_sec) return;
  looked = now;
  const auto online = cpu::online_numbers(options.setup.roots);
  if (online.empty()) return;
  std::erase_if(open.online, [&](unsigned cpu) {
    const bool is_gone = !std::ranges::binary_search(online, cpu);
    if (is_gone)
      open.warnings.push_back(fmt::format("CPU {} went offline: it is sampled no more", cpu));
    return is_gone;
  });
}

Recorder::Recorder(std::unique_ptr<State> state) : state_(std::move(state)) {}
Recorder::Recorder(Recorder&&) noexcept = default;
Recorder& Recorder::operator=(Recorder&&) noexcept = default;
Recorder::~Recorder() = default;

Result<Recorder> Recorder::open(const Machine& machine, std::span<const Encoding> events,
                                const CountTarget& target, const RecordOptions& options) {
  auto opened = sampling::open_recording(machine, events, target, options);
  if (!opened) return fail(std::move(opened));
  return Recorder(std::make_unique<State>(machine, options, std::move(*opened)));
}

std::span<const Encoding> Recorder::events() const { return state_->events; }
std::span<const std::string> Recorder::warnings() const { return state_->open.warnings; }
const RecordTally& Recorder::tally() const { return state_->tally; }

Result<void> Recorder::State::begin_file(int fd) {
  auto begun = sampling::RecordingWriter::create(fd, options.compression, options.as_stream);
  if (!begun) return fail(std::move(begun));
  writer.emplace(std::move(*begun));
  first_time = UINT64_MAX;
  last_time = 0;
  build_ids = {};
  const auto recorded = open.recorded_events();
  const auto known = writer->is_stream() ? features() : sampling::FeatureSections();
  if (auto done = writer->begin(recorded, known); !done) return done;
  trace_places.clear();
  if (!open.traces.empty()) {
    const auto& page = *open.rings[open.traces.front().ring].page();
    auto done = writer->write_plain(
        sampling::trace_description(machine, events, options, open.of_cpus, page));
    if (!done) return done;
  }
  auto done = write_existing();
  tally.bytes = writer->size();
  return done;
}

Result<void> Recorder::State::finish_file() {
  if (writer->is_stream()) return {};
  auto done = writer->finish(features());
  tally.bytes = writer->size();
  return done;
}

Result<void> Recorder::begin(int fd) {
  for (const int file : state_->open.awaited_files()) state_->waits.push_back({file, POLLIN, 0});
  state_->waits.push_back({state_->options.wake_file, POLLIN, 0});
  return state_->begin_file(fd);
}

Result<void> Recorder::switch_to(int fd) {
  State& state = *state_;
  if (auto any = state.drain(); !any) return fail(std::move(any));
  if (auto done = state.finish_file(); !done) return done;
  // The command has begun, and may have started others.
  state.options.setup.enable_on_exec = false;
  state.open.processes =
      sampling::with_descendants(state.options.setup.roots, std::move(state.open.processes));
  return state.begin_file(fd);
}

Result<void> Recorder::State::order(std::optional<std::size_t> event, bool on) {
  const bool has_trace = !event || (*event < events.size() && machine::is_aux(events[*event].pmu));
  if (has_trace) are_traces_on = on;
  const unsigned long request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
  return event ? open.order(*event, request) : open.order_all(request);
}

Result<void> Recorder::enable() { return state_->order(std::nullopt, true); }
Result<void> Recorder::disable() { return state_->order(std::nullopt, false); }
Result<void> Recorder::enable(std::size_t event) { return state_->order(event, true); }
Result<void> Recorder::disable(std::size_t event) { return state_->order(event, false); }

Result<void> Recorder::snapshot() {
  State& state = *state_;
  if (!state.options.snapshots)
    return fail(Errc::invalid_argument, "the recorder was opened without snapshots");
  const bool goes_on = state.are_traces_on;
  if (goes_on)
    if (auto done = state.order_traces(PERF_EVENT_IOC_DISABLE); !done) return done;
  if (auto any = state.drain(); !any) return fail(std::move(any));
  if (auto done = state.take_snapshot(); !done) return done;
  return goes_on ? state.order_traces(PERF_EVENT_IOC_ENABLE) : Result<void>();
}

Result<bool> Recorder::drain(unsigned milliseconds) {
  State& state = *state_;
  if (state.is_full) return false;
  // The buffers of an ended thread hang up, and need no more waiting.
  (void)poll(state.waits.data(), state.waits.size(), static_cast<int>(milliseconds));
  for (pollfd& wait : state.waits)
    if ((wait.revents & (POLLHUP | POLLERR)) != 0 && wait.fd != state.options.wake_file)
      wait.fd = -1;
  state.look_for_cpus();
  if (auto any = state.drain(); !any) return fail(std::move(any));
  return !state.is_full;
}

bool Recorder::has_ended() const {
  return !state_->waits.empty() && std::ranges::all_of(state_->waits, [&](const pollfd& wait) {
    return wait.fd < 0 || wait.fd == state_->options.wake_file;
  });
}

Result<void> Recorder::finish() {
  State& state = *state_;
  // Threads that go on, or the writing itself, would fill the buffers for ever.
  for (std::size_t i = 0; i < state.open.events.size(); ++i)
    (void)state.open.order(i, PERF_EVENT_IOC_DISABLE);
  state.looked = {};
  state.look_for_cpus();
  for (bool more = true; more && !state.is_full && !state.writer->has_failed();) {
    auto any = state.drain();
    if (!any) {
      (void)state.finish_file();
      return fail(std::move(any));
    }
    more = *any;
  }
  return state.finish_file();
}

}  // namespace evname
