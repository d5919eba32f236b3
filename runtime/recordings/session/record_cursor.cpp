#include "recordings/session/record_cursor.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "base/text.hpp"
#include "recordings/stream/stream.hpp"

namespace evname::session {
namespace {

perf_format::Damage damage_of(const PassOptions& options) {
  return options.salvage ? perf_format::Damage::salvage : perf_format::Damage::stop;
}

}  // namespace

/// A stream that is being read. Merged streams are read in pieces: the stream with the earliest
/// bound goes next.
struct RecordCursor::Lane {
  Lane(const stream::Stream& from, RecordCursor& cursor)
      : stream(from),
        reader(from, cursor.file_.header.order, cursor.blocks_, cursor.counts_, cursor.warnings_,
               damage_of(cursor.options_)) {}

  const stream::Stream& stream;
  stream::StreamReader reader;
  std::optional<TimeBounds> bounds;      ///< found if they are needed
  std::uint64_t bound = 0;               ///< all unread records are at or after this time
  std::uint64_t piece_end = UINT64_MAX;  ///< of the piece that is being read
  bool is_done = false;
};

// As in perf, the order of the file is kept if records other than samples have no times.
RecordCursor::RecordCursor(const stream::File& file, const PassOptions& options,
                           const CursorOptions& more)
    : RecordContents(file.events, file.header.order, file.features, more.maps,
                     more.maps ? recorded_on(file) : RecordedOn(), more.before_mapping),
      file_(file),
      options_(options),
      more_(more),
      in_time_order_((!options.file_order || options.waits) && file.events.sample_id_all()),
      merges_(in_time_order_ && file.streams.size() > 1) {
  deferred_.collect(file_, damage_of(options_), warnings_);
  if (options.waits) waits_.emplace(file.events, file.header.order);
  settles_ = !waits_;
  if (file.trace && !more.leaves_traces)
    traces_.emplace(*file.trace, file.events, file.header.order,
                    [this](std::int32_t tid) { return pid_of(tid); });
  if (!merges_) return;
  for (const stream::Stream& stream : file_.streams) {
    Lane& lane = *lanes_.emplace_back(std::make_unique<Lane>(stream, *this));
    lane.bounds.emplace(stream, file_.events, file_.header.order);
  }
}

RecordCursor::~RecordCursor() = default;

bool RecordCursor::next_record() {
  if (ended_) return false;
  is_first_ = false;
  if (!values_.empty() && next_value()) return true;
  is_first_ = true;
  while (next_in_order() && !cancelled_) {
    is_sample_ = sample_.record.type == perf_format::kRecordSample;
    if (!is_sample_ && !read_other()) read_record_of_perf();
    if (sample_.record.type == perf_format::kRecordAux && file_.trace) count_gaps();
    if (!is_sample_ || read_sample(more_.threads_only)) return true;
  }
  end_records();
  return false;
}

// Waits.

/// Returns the thread whose wait the record at hand ends; nullptr: none.
const Waits::Thread* RecordCursor::ended_wait() {
  if (is_sample_) return waits_->add(sample_);
  waits_->lose(loss());
  return waits_->add(record(), trailer(), event_of_other());
}

bool RecordCursor::next_wait() {
  while (next_record()) {
    const bool is_wait = is_sample_ && event_->has_durations;
    const bool is_other = !is_sample_;
    if (is_wait) settle();
    const Waits::Thread* const ended = ended_wait();
    if (ended ? hand_out(*ended) : is_wait || is_other) return true;
  }
  while (const Waits::Thread* open = waits_->next_open())
    if (hand_out(*open)) return true;
  return false;
}

/// Makes a wait the sample at hand, as its record says.
bool RecordCursor::hand_out(const Waits::Thread& wait) {
  perf_format::read_record(wait.record.data(), order_, sample_.record);
  sample_.record.offset = wait.offset;
  event_ = &events_.list()[wait.event];
  is_sample_ = is_first_ = true;
  if (perf_format::parse_sample(*event_, order_, sample_)) return false;
  settle();
  sample_.time = wait.end;
  sample_.period = wait.end - wait.begin;
  sample_.off_cpu = wait.why;
  sample_.has_parts = true;
  return true;
}

void RecordCursor::end() {
  end_records();
  if (waits_) waits_->stop();
}

void RecordCursor::end_records() {
  ended_ = true;
  is_sample_ = false;
  if (!traces_) return;
  for (const auto& fault : traces_->faults()) warnings_.add(fault.place, fault.text);
  traces_.reset();
}

bool RecordCursor::next_in_order() { return traces_ ? next_with_traces() : next_recorded(); }

// Samples of trace data come before the records of the file with the same time. In a pass in file
// order they come at the end.

bool RecordCursor::next_with_traces() {
  perf_format::Record& record = sample_.record;
  return traces_->next(record, event_, [&]() -> std::uint64_t {
    if (!next_recorded()) return UINT64_MAX;
    if (record.type >= perf_format::kRecordUserFirst || !in_time_order_) return 0;
    const std::uint64_t time = event_ != nullptr && record.type == perf_format::kRecordSample
                                   ? sample_time(record, event_, order_)
                                   : record_time(record, events_, order_);
    return has_place_in_time(time) ? time : 0;
  });
}

// The order of records.

bool RecordCursor::next_recorded() {
  if (held_) blocks_.release(*std::exchange(held_, std::nullopt));
  for (;;) {
    if (take_due()) return true;
    if (std::exchange(makes_room_, false)) {
      spill();
      continue;
    }
    if (!lane_ && !choose_lane()) {
      queue_.end_all();
      return take_due();
    }
    std::uint32_t block;
    const bool is_inside = lane_->reader.position() < lane_->piece_end;
    if (!is_inside || !lane_->reader.next(sample_.record, block)) {
      end_piece(is_inside);
      continue;
    }
    if (!report_progress()) return false;
    if (comes_now(block)) return true;
  }
}

bool RecordCursor::take_due() {
  OrderQueue::Entry entry;
  if (!queue_.next(entry)) return false;
  perf_format::Record& record = sample_.record;
  perf_format::read_record(entry.data, file_.header.order, record);
  if (entry.block == SpilledRuns::kCopied) {
    record.offset = SpilledRuns::offset_of(entry);
  } else {
    record.offset = blocks_.offset_of(entry.block, entry.data);
    held_ = entry.block;
  }
  event_ = &file_.events.list()[entry.event];
  return true;
}

bool RecordCursor::choose_lane() {
  if (!merges_) return open_stream();
  Lane& lane = **std::ranges::min_element(
      lanes_, {}, [](const auto& one) { return std::pair(one->is_done, one->bound); });
  if (lane.is_done) return false;
  lane.piece_end = (lane.reader.position() / TimeBounds::kPiece + 1) * TimeBounds::kPiece;
  lane_ = &lane;
  return true;
}

bool RecordCursor::open_stream() {
  lanes_.clear();
  if (stream_ == file_.streams.size()) return false;
  const stream::Stream& stream = file_.streams[stream_++];
  if (stream.more && !stream.more->take()) {
    warnings_.add("standard input can be read only once");
    return false;
  }
  lane_ = lanes_.emplace_back(std::make_unique<Lane>(stream, *this)).get();
  return true;
}

// FINISHED_ROUND in one stream says nothing about the others, so a separate walk finds their
// bounds.
void RecordCursor::end_piece(bool is_end) {
  Lane& lane = *std::exchange(lane_, nullptr);
  if (!merges_) {
    bytes_read_ += lane.stream.bytes.size();
    return queue_.end_all();
  }
  lane.is_done = is_end;
  lane.bound = is_end ? UINT64_MAX : lane.bounds->before(lane.reader.position());
  std::uint64_t safe = UINT64_MAX;
  for (const auto& other : lanes_) safe = std::min(safe, other->bound);
  queue_.end_before(safe);
}

/// Returns true if the current record need not wait for others.
bool RecordCursor::comes_now(std::uint32_t block) {
  const perf_format::Record& record = sample_.record;
  if (record.type >= perf_format::kRecordUserFirst) {
    if (record.type == perf_format::kRecordFinishedRound && !merges_) {
      has_rounds_ = true;
      queue_.end_round();
    }
    return true;
  }
  const std::endian order = file_.header.order;
  const bool is_sample = record.type == perf_format::kRecordSample;
  event_ = is_sample ? file_.events.of_sample(record, order) : nullptr;
  if (!in_time_order_) return true;
  const std::uint64_t time =
      is_sample ? sample_time(record, event_, order) : record_time(record, file_.events, order);
  if (!has_place_in_time(time)) return true;
  blocks_.hold(block);
  queue_.push({time, record.bytes.data(), block, event_ ? file_.events.index_of(*event_) : 0});
  constexpr std::uint64_t kEvery = 64;  // records, of at most 64 KiB each
  const bool is_long = !has_rounds_ && queue_.size() >= room_at_;
  if (++pushed_ % kEvery == 0 && (is_long || !waiting_is_below(1))) make_room();
  return false;
}

/// Returns true if less waits than this share of the limit.
bool RecordCursor::waiting_is_below(std::size_t part) const {
  return queue_.size() < more_.waiting_records / part &&
         blocks_.owned_bytes() < more_.waiting_bytes / part;
}

// Without marks of rounds, records before the bound of unread ones need not wait: all of them if
// the stream is in order. spill() follows once they are handed out.
void RecordCursor::make_room() {
  makes_room_ = true;
  if (merges_ || lane_->stream.more) return;
  if (!lane_->bounds) lane_->bounds.emplace(lane_->stream, file_.events, file_.header.order);
  queue_.end_before(lane_->bounds->before(lane_->reader.position()));
}

void RecordCursor::spill() {
  room_at_ = std::max(kFewRecords, 2 * queue_.size());
  if (waiting_is_below(2)) return;
  if (can_spill_) {
    const auto done = queue_.spill(blocks_, file_.header.order);
    if (done) return;
    can_spill_ = false;
    warnings_.add(fmt::format("there is no room for all records that wait for earlier ones: {}",
                              done.error().text()));
  }
  queue_.end_older_half();
}

/// Returns false if the pass is cancelled. Records may be large, and take long.
bool RecordCursor::report_progress() {
  constexpr std::uint64_t kMostUnreported = 16 << 20;  // bytes
  if (!options_.progress || cancelled_) return !cancelled_;
  unreported_ += sample_.record.bytes.size();
  if (records_read_++ % more_.progress_interval != 0 && unreported_ < kMostUnreported) return true;
  unreported_ = 0;
  std::uint64_t total = 0;
  for (const stream::Stream& stream : file_.streams) total += stream.bytes.size();
  cancelled_ =
      !options_.progress(bytes_read_ + lane_->reader.position(), file_.streams[0].more ? 0 : total);
  return !cancelled_;
}

// A live pipe has its events before their first sample.
void RecordCursor::read_record_of_perf() {
  const perf_format::Record& record = sample_.record;
  if (record.type == perf_format::kRecordFinishedRound &&
      is_too_long(record, file_.events, file_.header.order))
    count_too_long();
  if (traces_ && record.type == perf_format::kRecordAuxtrace && is_unpacked(record))
    ++packed_traces_;
  const stream::Stream& first = file_.streams[0];
  if (stream::is_of_prologue(record.type) && first.more &&
      record.offset >= first.offset + first.bytes.size() && late_prologue_++ == 0)
    warnings_.add(record.offset, fmt::format("{} record comes after samples; it is not used",
                                             perf_format::numbered_name(record.type)));
}

/// Returns true if the record was in a COMPRESSED record.
bool RecordCursor::is_unpacked(const perf_format::Record& record) const {
  return std::ranges::none_of(file_.streams, [&](const stream::Stream& stream) {
    return std::less_equal<>()(stream.bytes.data(), record.bytes.data()) &&
           std::less<>()(record.bytes.data(), stream.bytes.data() + stream.bytes.size());
  });
}

SampleTally RecordCursor::tally() const {
  const Problem packed{packed_traces_, "AUXTRACE record is compressed: its data are not decoded",
                       "AUXTRACE records are compressed: their data are not decoded"};
  const Problem late{queue_.late(), "record came too late to be put in order",
                     "records came too late to be put in order"};
  SampleTally tally = tally_of(ended_, {late, packed});
  if (ended_) tally.late = late.count;
  tally.cancelled = cancelled_;
  if (ended_ && waits_)
    for (std::string& note : waits_->notes(tally.lost)) tally.gaps.push_back(std::move(note));
  return tally;
}

}  // namespace evname::session
