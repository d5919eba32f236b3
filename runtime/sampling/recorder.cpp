#include "evname/recorder.hpp"

#include <poll.h>
#include <sys/ioctl.h>

#include <linux/perf_event.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "counting/refusal.hpp"
#include "sampling/existing.hpp"
#include "sampling/open_events.hpp"
#include "sampling/recording_writer.hpp"
#include "sampling/tracing_files.hpp"

namespace evname {
namespace {

using sampling::RingContent;

constexpr std::size_t kRecordHeaderBytes = sizeof(perf_event_header);

}  // namespace

struct Recorder::State {
  State(Machine of, RecordOptions how, sampling::OpenRecording opened)
      : machine(std::move(of)), options(std::move(how)), open(std::move(opened)) {
    for (const sampling::OpenEvent& event : open.events) events.push_back(event.encoding);
  }

  sampling::FeatureSections features() const;
  Result<void> write_existing();
  Result<bool> drain();
  Result<void> take(const RingContent& content);
  void look_at(const RingContent& content);

  Machine machine;
  RecordOptions options;
  sampling::OpenRecording open;
  std::vector<Encoding> events;
  std::optional<sampling::RecordingWriter> writer;
  std::vector<pollfd> waits;
  RecordTally tally;
  std::uint64_t first_time = UINT64_MAX, last_time = 0;
  bool is_full = false;
};

sampling::FeatureSections Recorder::State::features() const {
  const auto recorded = open.recorded_events();
  auto out = sampling::features_of(machine, options,
                                   {recorded, first_time == UINT64_MAX ? 0 : first_time, last_time,
                                    sampling::RecordingWriter::kLargestPiece});
  if (auto formats = sampling::tracing_data_of(events, options.roots); !formats.empty())
    out[sampling::kTracingData] = std::move(formats);
  return out;
}

Result<void> Recorder::State::write_existing() {
  std::string records;
  Result<void> done;
  const auto sink = [&](std::string_view record) {
    records += record;
    if (records.size() < (std::size_t{64} << 10) || !done) return;
    done = writer->write_records(records);
    records.clear();
  };
  open.existing_records(options, true, sink);
  if (done && !records.empty()) done = writer->write_records(records);
  return done;
}

/// Counts samples and losses, and notes the times of samples. Sizes that make no sense end it: the
/// bytes are kept, for readers to judge.
void Recorder::State::look_at(const RingContent& content) {
  // After the header: the identifier if there are several events, ip, pid and tid.
  const std::size_t time_at = open.events.size() > 1 ? 32 : 24;
  for (std::size_t at = 0; at + kRecordHeaderBytes <= content.size();) {
    const std::uint64_t head = content.word(at);
    perf_event_header header;
    std::memcpy(&header, &head, sizeof header);
    if (header.size < kRecordHeaderBytes || header.size % 8 != 0 ||
        header.size > content.size() - at)
      return;
    if (header.type == PERF_RECORD_SAMPLE && header.size >= time_at + 8) {
      ++tally.samples;
      const std::uint64_t time = content.word(at + time_at);
      first_time = std::min(first_time, time);
      last_time = std::max(last_time, time);
    } else if (header.type == PERF_RECORD_LOST && header.size >= 24) {
      tally.lost += content.word(at + 16);
    } else if (header.type == PERF_RECORD_LOST_SAMPLES && header.size >= 16) {
      tally.lost += content.word(at + 8);
    }
    at += header.size;
  }
}

Result<void> Recorder::State::take(const RingContent& content) {
  look_at(content);
  auto done = writer->write(content);
  tally.bytes = writer->size();
  return done;
}

/// Takes what all buffers have. Returns false if there was nothing.
Result<bool> Recorder::State::drain() {
  bool any = false;
  for (sampling::Ring& ring : open.rings) {
    const auto content = ring.read();
    if (!content) {
      ++tally.dropped;
      continue;
    }
    if (content->size() == 0) continue;
    any = true;
    if (auto done = take(*content); !done) return fail(std::move(done));
    ring.release(content->end);
  }
  if (any)
    if (auto done = writer->end_round(); !done) return fail(std::move(done));
  is_full = options.max_size != 0 && writer->size() >= options.max_size;
  return any;
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
std::span<const std::string> Recorder::notes() const { return state_->open.notes; }
const RecordTally& Recorder::tally() const { return state_->tally; }

Result<void> Recorder::begin(int fd) {
  auto writer = sampling::RecordingWriter::create(fd, state_->options.compression);
  if (!writer) return fail(std::move(writer));
  state_->writer.emplace(std::move(*writer));
  const auto recorded = state_->open.recorded_events();
  const auto features =
      state_->writer->is_stream() ? state_->features() : sampling::FeatureSections();
  if (auto done = state_->writer->begin(recorded, features); !done) return done;
  for (const int file : state_->open.ring_files) state_->waits.push_back({file, POLLIN, 0});
  return state_->write_existing();
}

Result<void> Recorder::enable() { return state_->open.order_all(PERF_EVENT_IOC_ENABLE); }
Result<void> Recorder::disable() { return state_->open.order_all(PERF_EVENT_IOC_DISABLE); }

Result<bool> Recorder::drain(unsigned milliseconds) {
  State& state = *state_;
  if (state.is_full) return false;
  // A thread that ended leaves its buffers hung up: there is nothing to wait for any more.
  (void)poll(state.waits.data(), state.waits.size(), static_cast<int>(milliseconds));
  for (pollfd& wait : state.waits)
    if ((wait.revents & (POLLHUP | POLLERR)) != 0) wait.fd = -1;
  if (auto any = state.drain(); !any) return fail(std::move(any));
  return !state.is_full;
}

Result<void> Recorder::finish() {
  State& state = *state_;
  for (bool more = true; more && !state.is_full;) {
    auto any = state.drain();
    if (!any) return fail(std::move(any));
    more = *any;
  }
  if (state.writer->is_stream()) return {};
  auto done = state.writer->finish(state.features());
  state.tally.bytes = state.writer->size();
  return done;
}

}  // namespace evname
