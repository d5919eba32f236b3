#include "recordings/session/session.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "recordings/session/delivery.hpp"
#include "recordings/session/record_order.hpp"
#include "recordings/stream/prologue.hpp"
#include "recordings/stream/stream_reader.hpp"

namespace evname::perfdata::session {
namespace {

using stream::BlockStore;
using stream::Stream;
using stream::StreamReader;

/// One file of a directory: how far it has been read, and a time that nothing unread in it is
/// before.
struct Lane {
  Lane(const Stream& stream, const stream::File& file, BlockStore& blocks, RecordCounts& counts,
       Warnings& warnings, Damage damage)
      : bounds(stream, file.events, file.header.order),
        reader(stream, file.header.order, blocks, counts, warnings, damage) {}

  TimeBounds bounds;
  StreamReader reader;
  std::uint64_t bound = 0;      ///< the first piece of each is read before anything is delivered
  std::uint64_t piece_end = 0;  ///< of the piece that is being read
  bool done = false;
};

}  // namespace

/// Reads the records and puts them in order. All loops keep where they are in members, so that they
/// can be entered again.
class Session::Pass {
 public:
  Pass(const stream::File& file, SampleSink& sink, PassOptions options)
      : file_(file), options_(std::move(options)), delivery_(file, sink, options_) {}

  bool advance();
  Tally& tally() { return delivery_.tally(); }

 private:
  void begin();
  bool go_on();
  bool run_stream(const Stream& stream);
  bool run_merged();
  bool read_piece(Lane& lane);
  bool take(const Record& record, std::uint32_t block);
  bool take_entry(const OrderQueue::Entry& entry);
  void check_prologue(const Record& record);
  bool relieve();
  bool is_below(std::size_t part) const;
  bool deliver_settled();
  void tell_progress(std::uint64_t position);
  auto delivery() {
    return [this](const OrderQueue::Entry& entry) { return take_entry(entry); };
  }

  const stream::File& file_;
  PassOptions options_;
  Delivery delivery_;
  BlockStore blocks_;
  OrderQueue queue_;
  std::uint64_t pushed_ = 0;  ///< records to the queue
  std::uint64_t late_prologue_ = 0;
  std::uint64_t told_ = 0;  ///< records until progress was told
  std::uint64_t done_ = 0;  ///< bytes of streams that are read

  bool begun_ = false;
  bool ended_ = false;
  std::size_t stream_ = 0;                    ///< the one being read, where they are not merged
  std::optional<StreamReader> reader_;        ///< of it
  bool read_all_ = false;                     ///< by reader_; what it read may still be queued
  std::optional<TimeBounds> bounds_;          ///< of the stream that reader_ reads, if needed
  bool spills_ = true;                        ///< there is room on disk
  std::vector<std::unique_ptr<Lane>> lanes_;  ///< where they are merged
};

bool Session::Pass::advance() {
  if (ended_) return false;
  if (!begun_) begin();
  const bool complete = go_on();
  ended_ = ended_ || complete || delivery_.ended();
  if (ended_) delivery_.summarize(queue_.late());
  return !ended_;
}

// perf leaves the order of the file alone where records other than samples have no times.
void Session::Pass::begin() {
  begun_ = true;
  delivery_.begin();
  if (!file_.events.sample_id_all()) options_.order = Order::file;
  if (options_.order != Order::time || file_.streams.size() < 2) return;
  for (const Stream& stream : file_.streams)
    lanes_.push_back(std::make_unique<Lane>(stream, file_, blocks_, delivery_.tally().records,
                                            delivery_.warnings(), options_.damage));
}

// False: the pass is left before its end.
bool Session::Pass::go_on() {
  if (!queue_.go_on(delivery())) return false;
  if (!lanes_.empty()) return run_merged();
  for (; stream_ < file_.streams.size(); ++stream_)
    if (!run_stream(file_.streams[stream_])) return false;
  return true;
}

bool Session::Pass::run_stream(const Stream& stream) {
  if (!reader_) {
    if (stream.more && !stream.more->take()) {
      delivery_.warnings().add("standard input can be read only once");
      ended_ = true;
      return false;
    }
    read_all_ = false;
    bounds_.reset();
    reader_.emplace(stream, file_.header.order, blocks_, delivery_.tally().records,
                    delivery_.warnings(), options_.damage);
  }
  Record record;
  for (std::uint32_t block; !read_all_ && reader_->next(record, block);) {
    if (!take(record, block)) return false;
    tell_progress(reader_->position());
    if (record.type == kRecordFinishedRound && !queue_.round(delivery())) return false;
  }
  if (!std::exchange(read_all_, true)) done_ += stream.bytes.size();
  if (!queue_.finish(delivery())) return false;
  reader_.reset();
  return true;
}

bool Session::Pass::read_piece(Lane& lane) {
  Record record;
  for (std::uint32_t block; !lane.done && lane.reader.position() < lane.piece_end;) {
    lane.done = !lane.reader.next(record, block);
    if (!lane.done && !take(record, block)) return false;
    tell_progress(lane.reader.position());
  }
  return true;
}

// FINISHED_ROUND says nothing of the other files, so the bounds come from a walk of their own. The
// file that holds up the others is read on, a piece at a time.
bool Session::Pass::run_merged() {
  for (;;) {
    Lane& lane = **std::min_element(lanes_.begin(), lanes_.end(), [](auto& a, auto& b) {
      return std::pair(a->done, a->bound) < std::pair(b->done, b->bound);
    });
    if (lane.done) return queue_.finish(delivery());
    if (lane.piece_end == 0)
      lane.piece_end = (lane.reader.position() / TimeBounds::kPiece + 1) * TimeBounds::kPiece;
    if (!read_piece(lane)) return false;
    lane.piece_end = 0;
    lane.bound = lane.done ? UINT64_MAX : lane.bounds.before(lane.reader.position());
    std::uint64_t safe = UINT64_MAX;
    for (const auto& other : lanes_) safe = std::min(safe, other->bound);
    if (!queue_.until(safe, delivery())) return false;
  }
}

bool Session::Pass::take(const Record& record, std::uint32_t block) {
  if (record.type >= kRecordUserFirst) {
    if (!is_known_type(record.type)) delivery_.count_unknown(record);
    if (record.type == kRecordFinishedRound) delivery_.check_length(record);
    if (stream::is_of_prologue(record.type)) check_prologue(record);
    delivery_.take_own(record);
    return true;
  }
  const bool is_sample = record.type == kRecordSample;
  const Event* event = is_sample ? file_.events.of_sample(record, file_.header.order) : nullptr;
  if (options_.order == Order::file) return delivery_.take(record, event);
  const std::uint64_t time = is_sample ? sample_time(record, event, file_.header.order)
                                       : record_time(record, file_.events, file_.header.order);
  if (!has_place_in_time(time)) return delivery_.take(record, event);
  blocks_.hold(block);
  queue_.push({time, record.bytes.data(), block, event ? file_.events.index_of(*event) : 0});
  return relieve();
}

bool Session::Pass::take_entry(const OrderQueue::Entry& entry) {
  Record record;
  read_record(entry.data, file_.header.order, record);
  const bool copied = entry.block == SpilledRuns::kCopied;
  record.offset =
      copied ? SpilledRuns::offset_of(entry) : blocks_.offset_of(entry.block, entry.data);
  const bool go_on = delivery_.take(record, &file_.events.list()[entry.event]);
  if (!copied) blocks_.release(entry.block);
  return go_on;
}

/// Waits there less than that part of what may?
bool Session::Pass::is_below(std::size_t part) const {
  return queue_.size() < options_.waiting.records / part &&
         blocks_.owned_bytes() < options_.waiting.bytes / part;
}

// Where marks of rounds don't bound memory. Looked at now and then: a record is at most 64 KiB.
bool Session::Pass::relieve() {
  constexpr std::uint64_t kEvery = 64;
  if (++pushed_ % kEvery != 0) return true;
  if (is_below(1)) return true;
  if (!deliver_settled()) return false;
  if (is_below(2)) return true;
  if (spills_) {
    const auto done = queue_.spill(blocks_, file_.header.order);
    if (done) return true;
    spills_ = false;
    delivery_.warnings().add(fmt::format(
        "there is no room for all records that wait for earlier ones: {}", done.error().text()));
  }
  return queue_.relieve(delivery());
}

// What nothing that follows in the stream is before: all of it, in a stream that is in order.
bool Session::Pass::deliver_settled() {
  if (!reader_ || file_.streams[stream_].more) return true;
  if (!bounds_) bounds_.emplace(file_.streams[stream_], file_.events, file_.header.order);
  return queue_.until(bounds_->before(reader_->position()), delivery());
}

// Of a pipe that is read as it comes, the events are known by their first sample.
void Session::Pass::check_prologue(const Record& record) {
  const Stream& stream = file_.streams[0];
  if (stream.more && record.offset >= stream.offset + stream.bytes.size() && late_prologue_++ == 0)
    delivery_.warnings().add(
        record.offset,
        fmt::format("record of type {} comes after samples; it is not used", record.type));
}

void Session::Pass::tell_progress(std::uint64_t position) {
  if (!options_.progress || ++told_ % options_.progress_interval != 0) return;
  std::uint64_t total = 0;
  for (const Stream& stream : file_.streams) total += stream.bytes.size();
  options_.progress(done_ + position, file_.streams[0].more ? 0 : total);
}

Session::Session(const stream::File& file, SampleSink& sink, PassOptions options)
    : pass_(std::make_unique<Pass>(file, sink, std::move(options))) {}

Session::~Session() = default;

Tally Session::run() {
  while (pass_->advance()) {
  }
  return std::move(pass_->tally());
}

bool Session::advance() { return pass_->advance(); }

const Tally& Session::tally() const { return pass_->tally(); }

}  // namespace evname::perfdata::session
