#include "sampler/live_samples.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <utility>

#include "recordings/session/record_order.hpp"

namespace evname::sampler {
namespace {

/// A process that samples itself needs no facts about a recording.
const perf_format::Features& no_features() {
  static const perf_format::Features kNone;
  return kNone;
}

}  // namespace

using perf_format::kRecordSample;

LiveSamples::LiveSamples(const perf_format::Events& events, std::span<sampling::Ring> rings,
                         std::optional<int> clock)
    : RecordContents(events, std::endian::native, no_features(), true, session::recorded_now()),
      rings_(rings),
      merge_(rings, events),
      clock_(clock),
      opened_by_(static_cast<int>(getpid())) {}

void LiveSamples::add_traces(const spe::Trace& described,
                             std::span<const sampling::TraceSource> sources) {
  traces_.emplace(described, rings_, sources, events_,
                  [this](std::int32_t tid) { return pid_of(tid); });
}

void LiveSamples::read_made(std::string_view record) {
  perf_format::read_record(reinterpret_cast<const std::uint8_t*>(record.data()), order_,
                           sample_.record);
  (void)read_other();
}

/// Records up to now are read, so that no CPU's records overtake another's. The mappings and names
/// for a trace have been recorded before it.
bool LiveSamples::begin() {
  if (static_cast<int>(getpid()) != opened_by_) return false;
  std::uint64_t limit = UINT64_MAX;
  if (timespec now{}; clock_ && clock_gettime(*clock_, &now) == 0)
    limit = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
            static_cast<std::uint64_t>(now.tv_nsec);
  if (traces_) traces_->begin();
  merge_.begin(limit);
  return true;
}

bool LiveSamples::next_sample() {
  is_first_ = false;
  if (!values_.empty() && next_value()) return true;
  is_first_ = true;
  if (!began_ && !(began_ = begin())) return false;
  while (next_record())
    if (take()) return true;
  began_ = false;
  keep_traces();
  return false;
}

bool LiveSamples::next_record() {
  perf_format::Record& record = sample_.record;
  if (!traces_) return merge_.next(record, event_);
  return traces_->samples().next(record, event_, [&]() -> std::uint64_t {
    return merge_.next(record, event_) ? merge_.time() : UINT64_MAX;
  });
}

void LiveSamples::keep_traces() {
  if (traces_ && kept_ != nullptr) traces_->keep_in(*kept_);
}

SampleTally LiveSamples::tally() const {
  SampleTally tally = tally_of(true, {});
  if (!traces_) return tally;
  if (truncated_ > 0)
    tally.gaps.emplace_back("trace_pages, an option of the sampler, gives traces more room");
  for (auto& fault : traces_->faults()) tally.warnings.push_back(std::move(fault.text));
  return tally;
}

/// Reads the record at hand. Returns true if it is a sample to hand out.
bool LiveSamples::take() {
  const Bytes bytes = sample_.record.bytes;
  is_sample_ = sample_.record.type == kRecordSample;
  const bool is_made =
      is_sample_ && event_ != nullptr && events_.index_of(*event_) >= events_.recorded();
  if (is_made) return read_sample(false);
  counts_.add(sample_.record.type);
  if (sample_.record.type == perf_format::kRecordAux) {
    count_gaps();
    truncated_ = RecordContents::truncated();
  }
  const bool is_good = is_sample_ ? read_sample(false) : read_other();
  if (kept_ != nullptr && (is_good || !is_sample_))
    kept_->add(bytes, is_sample_ ? std::optional(sample_.time) : std::nullopt);
  return is_sample_ && is_good;
}

using spe::Buffer;
using spe::PacketReader;
using spe::SampleMaker;

LiveTraces::LiveTraces(const spe::Trace& described, std::span<sampling::Ring> rings,
                       std::span<const sampling::TraceSource> sources,
                       const perf_format::Events& events, SampleMaker::ProcessOf process_of)
    : trace_(described) {
  trace_.is_live = true;
  for (const sampling::TraceSource& source : sources) {
    sampling::Ring& ring = rings[source.ring];
    const std::size_t room = PacketReader::kLongestOperation + ring.trace_size();
    areas_.push_back({&ring, source, std::make_unique_for_overwrite<std::uint8_t[]>(room)});
    trace_.queues.push_back({static_cast<std::uint32_t>(source.ring),
                             source.cpu,
                             source.thread,
                             {Buffer{{areas_.back().bytes.get(), 0}}}});
  }
  samples_ =
      std::make_unique<SampleMaker>(trace_, events, std::endian::native, std::move(process_of));
}

void LiveTraces::begin() {
  for (std::size_t i = 0; i < areas_.size(); ++i) take(i);
  samples_->resume();
}

/// Appends the new bytes to the rest of the last walk, which is one operation at most.
void LiveTraces::take(std::size_t number) {
  Area& area = areas_[number];
  Buffer& buffer = trace_.queues[number].buffers.front();
  Bytes left = samples_->unread(number);
  const auto content = area.ring->read_trace();
  if (!content) ++damaged_;
  const sampling::RingContent fresh = content.value_or(sampling::RingContent());
  const std::uint64_t from = fresh.end - fresh.size();
  if (fresh.size() > 0 && !left.empty() && from != buffer.offset + buffer.data.size()) {
    ++damaged_;
    left = {};
  }
  std::uint8_t* const to = area.bytes.get();
  if (!left.empty()) std::memmove(to, left.data(), left.size());
  std::uint8_t* end = std::ranges::copy(fresh.first, to + left.size()).out;
  end = std::ranges::copy(fresh.second, end).out;
  const std::uint64_t place =
      fresh.size() > 0 ? from - left.size() : buffer.offset + buffer.data.size() - left.size();
  area.kept = place;
  buffer = {{to, end}, place, place};
  if (fresh.size() > 0) area.ring->release_trace(fresh.end);
}

void LiveTraces::keep_in(KeptRecords& kept) {
  for (std::size_t i = 0; i < areas_.size(); ++i) {
    const Buffer& buffer = trace_.queues[i].buffers.front();
    const std::uint64_t until = samples_->made_until(i);
    const std::uint64_t from = std::exchange(areas_[i].kept, until);
    if (until == from) continue;
    kept.add_trace(areas_[i].source,
                   {buffer.data.subspan(from - buffer.place, until - from), {}, until});
  }
}

namespace {

constexpr std::endian kOrder = std::endian::native;
constexpr std::uint64_t kFuture = 1'000'000'000;  // ns
constexpr auto kLater = [](const auto* a, const auto* b) { return a->time > b->time; };

}  // namespace

RingMerge::RingMerge(std::span<sampling::Ring> rings, const perf_format::Events& events)
    : events_(events) {
  for (sampling::Ring& ring : rings)
    lanes_.push_back({.ring = &ring, .whole = std::make_unique<std::uint8_t[]>(kLongest)});
  heap_.reserve(lanes_.size());
}

void RingMerge::begin(std::uint64_t limit) {
  limit_ = limit;
  taken_ = nullptr;
  heap_.clear();
  for (Lane& lane : lanes_) {
    const auto content = lane.ring->read();
    if (!content) ++damaged_;
    lane.content = content.value_or(sampling::RingContent());
    lane.at = lane.size = lane.released = 0;
    look(lane);
    if (lane.size != 0) heap_.push_back(&lane);
  }
  std::ranges::make_heap(heap_, kLater);
}

bool RingMerge::next(perf_format::Record& record, const perf_format::Event*& event) {
  if (Lane* const lane = std::exchange(taken_, nullptr)) {
    lane->at += lane->size;
    if (lane->at - lane->released >= lane->ring->size() / 4) give_back(*lane);
    look(*lane);
    // Most often the lane remains the first of the heap.
    const auto below = std::span(heap_).subspan(1, std::min<std::size_t>(2, heap_.size() - 1));
    const auto is_earlier = [&](const Lane* other) { return other->time < lane->time; };
    if (lane->size == 0 || std::ranges::any_of(below, is_earlier)) {
      std::ranges::pop_heap(heap_, kLater);
      if (lane->size != 0)
        std::ranges::push_heap(heap_, kLater);
      else
        heap_.pop_back();
    }
  }
  if (heap_.empty()) {
    end();
    return false;
  }
  taken_ = heap_.front();
  const std::uint8_t* const bytes = bytes_at(*taken_, taken_->size);
  perf_format::read_record(bytes, kOrder, record);
  record.bytes = {bytes, taken_->size};  // even if its header changed since
  record.offset = taken_->content.end - taken_->content.size() + taken_->at;
  event = taken_->event;
  return true;
}

void RingMerge::end() {
  taken_ = nullptr;
  heap_.clear();
  for (Lane& lane : lanes_) give_back(lane);
}

void RingMerge::give_back(Lane& lane) {
  if (lane.released == lane.at) return;
  lane.released = lane.at;
  lane.ring->release(lane.content.end - lane.content.size() + lane.at);
}

void RingMerge::skip_rest(Lane& lane) {
  ++damaged_;
  lane.at = lane.content.size();
  give_back(lane);
}

void RingMerge::look(Lane& lane) {
  lane.size = 0;
  const std::size_t left = lane.content.size() - lane.at;
  if (left == 0) return;
  // Sizes and places are multiples of 8, so that a header is in one piece.
  const auto size = static_cast<std::size_t>(
      left < perf_format::kRecordHeader
          ? 0
          : load<std::uint16_t>(bytes_at(lane, perf_format::kRecordHeader) + 6, kOrder));
  if (size < perf_format::kRecordHeader || size % 8 != 0 || size > left) return skip_rest(lane);
  perf_format::Record record;
  const std::uint8_t* const bytes = bytes_at(lane, size);
  perf_format::read_record(bytes, kOrder, record);
  record.bytes = {bytes, size};
  using namespace session;
  const bool is_sample = record.type == perf_format::kRecordSample;
  lane.event = is_sample ? events_.of_sample(record, kOrder) : nullptr;
  const std::uint64_t time =
      is_sample ? sample_time(record, lane.event, kOrder) : record_time(record, events_, kOrder);
  lane.time = has_place_in_time(time) ? time : 0;  // records without a time come at once
  // A time that far in the future is wrong.
  if (lane.time > limit_ && lane.time - limit_ < kFuture) return;
  lane.size = size;
}

/// Returns the bytes of a record in one piece.
const std::uint8_t* RingMerge::bytes_at(Lane& lane, std::size_t size) {
  const Bytes first = lane.content.first, second = lane.content.second;
  if (lane.at >= first.size()) return second.data() + (lane.at - first.size());
  const std::size_t before = std::min(size, first.size() - lane.at);
  if (before == size) return first.data() + lane.at;
  std::memcpy(lane.whole.get(), first.data() + lane.at, before);
  std::memcpy(lane.whole.get() + before, second.data(), size - before);
  return lane.whole.get();
}

}  // namespace evname::sampler
