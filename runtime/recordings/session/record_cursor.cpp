#include "recordings/session/record_cursor.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "recordings/stream/stream_reader.hpp"

namespace evname::perfdata::session {
namespace {

Damage damage_of(const PassOptions& options) {
  return options.salvage ? Damage::salvage : Damage::stop;
}

}  // namespace

/// A stream that is being read. Streams that are merged are read in pieces: the one that holds up
/// the others is read on.
struct RecordCursor::Lane {
  Lane(const stream::Stream& from, RecordCursor& cursor)
      : stream(from),
        reader(from, cursor.file_.header.order, cursor.blocks_, cursor.counts_, cursor.warnings_,
               damage_of(cursor.options_)) {}

  const stream::Stream& stream;
  stream::StreamReader reader;
  std::optional<TimeBounds> bounds;      ///< found if they are needed
  std::uint64_t bound = 0;               ///< nothing unread is before this time
  std::uint64_t piece_end = UINT64_MAX;  ///< of the piece that is being read
  bool is_done = false;
};

// perf leaves the order of the file alone if records other than samples have no times.
RecordCursor::RecordCursor(const stream::File& file, const PassOptions& options,
                           const CursorOptions& more)
    : file_(file),
      options_(options),
      more_(more),
      in_time_order_(!options.file_order && file.events.sample_id_all()),
      merges_(in_time_order_ && file.streams.size() > 1),
      maps_(file.features.build_ids, more.before_mapping) {
  sample_maps_ = &maps_.of(-1);
  deferred_.collect(file_, damage_of(options_), warnings_);
  if (!merges_) return;
  for (const stream::Stream& stream : file_.streams) {
    Lane& lane = *lanes_.emplace_back(std::make_unique<Lane>(stream, *this));
    lane.bounds.emplace(stream, file_.events, file_.header.order);
  }
}

RecordCursor::~RecordCursor() = default;

bool RecordCursor::next() {
  if (ended_) return false;
  is_first_ = false;
  if (!values_.empty() && next_value()) return true;
  is_first_ = true;
  while (next_in_order()) {
    is_sample_ = sample_.record.type == kRecordSample;
    if (!is_sample_) read_other();
    if (!is_sample_ || read_sample()) return true;
  }
  end();
  return false;
}

void RecordCursor::end() {
  ended_ = true;
  is_sample_ = false;
}

// The order of records.

bool RecordCursor::next_in_order() {
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
    report_progress();
    if (comes_now(block)) return true;
  }
}

bool RecordCursor::take_due() {
  OrderQueue::Entry entry;
  if (!queue_.next(entry)) return false;
  Record& record = sample_.record;
  read_record(entry.data, file_.header.order, record);
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

// FINISHED_ROUND in one stream says nothing of the others, so their bounds come from a walk of
// their own.
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

/// Returns true if the record that was read has not to wait for others.
bool RecordCursor::comes_now(std::uint32_t block) {
  const Record& record = sample_.record;
  if (record.type >= kRecordUserFirst) {
    if (record.type == kRecordFinishedRound && !merges_) queue_.end_round();
    return true;
  }
  const std::endian order = file_.header.order;
  const bool is_sample = record.type == kRecordSample;
  event_ = is_sample ? file_.events.of_sample(record, order) : nullptr;
  if (!in_time_order_) return true;
  const std::uint64_t time =
      is_sample ? sample_time(record, event_, order) : record_time(record, file_.events, order);
  if (!has_place_in_time(time)) return true;
  blocks_.hold(block);
  queue_.push({time, record.bytes.data(), block, event_ ? file_.events.index_of(*event_) : 0});
  constexpr std::uint64_t kEvery = 64;  // records, of at most 64 KiB each
  if (++pushed_ % kEvery == 0 && !waiting_is_below(1)) make_room();
  return false;
}

/// Returns true if less waits than that part of what may.
bool RecordCursor::waiting_is_below(std::size_t part) const {
  return queue_.size() < more_.waiting_records / part &&
         blocks_.owned_bytes() < more_.waiting_bytes / part;
}

// Without marks of rounds, records that nothing unread is before need not wait: all of them, if the
// stream is in order. spill() follows once they are handed out.
void RecordCursor::make_room() {
  makes_room_ = true;
  if (merges_ || lane_->stream.more) return;
  if (!lane_->bounds) lane_->bounds.emplace(lane_->stream, file_.events, file_.header.order);
  queue_.end_before(lane_->bounds->before(lane_->reader.position()));
}

void RecordCursor::spill() {
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

void RecordCursor::report_progress() {
  if (!options_.progress || ++records_read_ % more_.progress_interval != 0) return;
  std::uint64_t total = 0;
  for (const stream::Stream& stream : file_.streams) total += stream.bytes.size();
  options_.progress(bytes_read_ + lane_->reader.position(), file_.streams[0].more ? 0 : total);
}

// The contents of records.

/// Returns false if the sample can't be read, or has no counter value to hand out.
bool RecordCursor::read_sample() {
  const std::endian order = file_.header.order;
  const Record& record = sample_.record;
  if (!event_) {
    if (unknown_ids_.count++ == 0) warnings_.add(record.offset, "sample of an unknown event id");
    return false;
  }
  const Event& event = *event_;
  const char* fault = nullptr;
  if (event.has_tail || !more_.threads_only)
    fault = parse_sample(event, order, sample_);
  else if (!parse_thread(event, order, sample_))
    fault = "fixed part";
  if (fault) {
    if (malformed_.count++ == 0)
      warnings_.add(record.offset, fmt::format("sample is too short for its {}", fault));
    return false;
  }
  ++samples_;
  if (sample_.unread > 0 && is_too_long(event, sample_.unread)) count_too_long();
  if (event.attr.has(kDeferCallchain)) deferred_.complete(order, sample_);
  comm_ = threads_.comm(sample_.pid, sample_.tid);
  sample_maps_ = &maps_.of(sample_.pid);
  cgroup_path_ = event.attr.samples(kSampleCgroup) ? cgroups_.path(sample_.cgroup) : "";
  if (!event.attr.samples(kSampleRead)) return true;
  values_.begin(sample_, order);
  return next_value();
}

bool RecordCursor::next_value() {
  while (values_.next(sample_.id, sample_.period)) {
    sample_.event = file_.events.of_id(sample_.id);
    if (sample_.event) return true;
    if (unknown_values_.count++ == 0)
      warnings_.add(sample_.record.offset, "counter value of an unknown event id");
  }
  return false;
}

void RecordCursor::read_other() {
  Record& record = sample_.record;
  loss_ = {};
  trailer_ = {};
  if (!is_known_type(record.type) && unknown_records_.count++ == 0)
    warnings_.add(record.offset, fmt::format("unknown record type {}", record.type));
  if (record.type >= kRecordUserFirst) return read_record_of_perf();
  const std::endian order = file_.header.order;
  const Record bare = file_.events.without_trailer(record, order);
  if (!follow(bare) && malformed_others_.count++ == 0)
    warnings_.add(record.offset, fmt::format("record of type {} is too short", record.type));
  if (is_too_long(record, file_.events, order)) count_too_long();
  loss_ = loss_of(record, file_.events, order);
  lost_ += loss_.lost;
  trailer_ = record.bytes.subspan(bare.bytes.size());
  record = bare;
}

// Events of a pipe that is read as it comes are known by their first sample.
void RecordCursor::read_record_of_perf() {
  const Record& record = sample_.record;
  if (record.type == kRecordFinishedRound && is_too_long(record, file_.events, file_.header.order))
    count_too_long();
  const stream::Stream& first = file_.streams[0];
  if (stream::is_of_prologue(record.type) && first.more &&
      record.offset >= first.offset + first.bytes.size() && late_prologue_++ == 0)
    warnings_.add(
        record.offset,
        fmt::format("record of type {} comes after samples; it is not used", record.type));
}

/// Returns false if the record is too short.
bool RecordCursor::follow(const Record& record) {
  const std::endian order = file_.header.order;
  if (!is_known_type(record.type)) return true;
  bool is_whole = true;
  if (options_.maps && AddressMaps::follows(record.type)) is_whole = maps_.apply(record, order);
  return threads_.apply(record, order) && cgroups_.apply(record, order) && is_whole;
}

void RecordCursor::count_too_long() {
  const Record& record = sample_.record;
  if (too_long_.count++ == 0)
    warnings_.add(record.offset,
                  fmt::format("record of type {} is longer than what is in it", record.type));
}

SampleTally RecordCursor::tally() const {
  SampleTally tally;
  tally.samples = samples_;
  tally.unknown_ids = unknown_ids_.count;
  tally.malformed = malformed_.count;
  tally.lost = lost_;
  tally.records = counts_.list();
  if (!ended_) return tally;
  Warnings warnings = warnings_;
  const Problem missing{
      deferred_.missing(),
      "sample has no user part of its callchain: it was to follow, and did not",
      "samples have no user part of their callchain: it was to follow, and did not"};
  const Problem late{queue_.late(), "record came too late to be put in order",
                     "records came too late to be put in order"};
  tally.late = late.count;
  for (const Problem& problem : {unknown_ids_, malformed_, malformed_others_, unknown_values_,
                                 unknown_records_, too_long_, missing, late})
    if (problem.count > 0) warnings.add(counted(problem.count, problem.one, problem.many));
  tally.warnings = warnings.take();
  return tally;
}

void GroupValues::begin(const SampleRecord& sample, std::endian order) {
  format_ = sample.event->attr.read_format;
  own_ = {sample.id, sample.event->attr.has(kInherit) ? sample.tid : -1};
  in_ = Cursor(sample.read, order);
  left_ = 1;
  if (format_ & kReadGroup)
    left_ = in_.u64();
  else
    value_ = in_.u64();
  if (format_ & kReadTimeEnabled) in_.skip(8);
  if (format_ & kReadTimeRunning) in_.skip(8);
}

bool GroupValues::next(std::uint64_t& id, std::uint64_t& period) {
  while (left_ > 0 && in_.ok()) {
    --left_;
    if (format_ & kReadGroup) value_ = in_.u64();
    const std::uint64_t of = format_ & kReadId ? in_.u64() : own_.id;
    if (format_ & kReadLost) in_.skip(8);
    if (!in_.ok()) break;
    std::uint64_t& last = last_[{of, own_.tid}];
    const std::uint64_t since = value_ - std::exchange(last, value_);
    if (since == 0) continue;
    id = of;
    period = since;
    return true;
  }
  left_ = 0;
  return false;
}

}  // namespace evname::perfdata::session
