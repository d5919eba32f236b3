#include "perfdata/session/session.hpp"

#include "base/bytes.hpp"
#include "perfdata/format/loss.hpp"
#include "perfdata/stream/pipe.hpp"
#include "perfdata/stream/times.hpp"

namespace evname::perfdata {
namespace {

constexpr std::size_t kMaxQueued = 1 << 24;  // records; beyond, order is not kept
constexpr std::size_t kMaxQueuedBytes = 256 << 20;
constexpr SampleTail kNoTail;

}  // namespace

Tally Session::run() {
  while (advance()) {
  }
  return std::move(tally_);
}

bool Session::advance() {
  if (ended_) return false;
  if (!begun_) begin();
  ended_ |= go_on();
  if (ended_) summarize();
  return !ended_;
}

// perf leaves the order of the file alone where records other than samples have no times.
void Session::begin() {
  begun_ = true;
  if (!file_.events.sample_id_all()) options_.order = Order::file;
  if (options_.order == Order::time && file_.streams.size() > 1) add_lanes();
}

// All loops keep where they are in members, so that they can be entered again. False: the pass is
// left before its end.
bool Session::go_on() {
  if (!queue_.go_on(delivery())) return false;
  if (!lanes_.empty()) return run_merged();
  for (; stream_ < file_.streams.size(); ++stream_)
    if (!run_stream(file_.streams[stream_])) return false;
  return true;
}

bool Session::run_stream(const Stream& stream) {
  if (!reader_) {
    if (stream.more && !stream.more->take()) {
      warnings_.add("standard input can be read only once");
      ended_ = true;
      return false;
    }
    read_all_ = false;
    reader_.emplace(stream, file_.header.order, blocks_, tally_.records, warnings_,
                    options_.damage);
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

bool Session::take(const Record& record, std::uint32_t block) {
  if (record.type >= kRecordUserFirst) {
    if (!is_known_type(record.type)) count_unknown(record);
    if (is_of_prologue(record.type)) check_prologue(record);
    return true;
  }
  const bool is_sample = record.type == kRecordSample;
  const Event* event = is_sample ? file_.events.of_sample(record, file_.header.order) : nullptr;
  if (options_.order == Order::file) return deliver(record, event);
  const std::uint64_t time = is_sample ? sample_time(record, event, file_.header.order)
                                       : record_time(record, file_.events, file_.header.order);
  if (!has_place_in_time(time)) return deliver(record, event);
  blocks_.hold(block);
  queue_.push({time, record.bytes.data(), block, event ? file_.events.index_of(*event) : 0});
  return relieve();
}

void Session::tell_progress(std::uint64_t position) {
  constexpr std::uint64_t kEvery = 1 << 16;
  if (!options_.progress || ++told_ % kEvery != 0) return;
  std::uint64_t total = 0;
  for (const Stream& stream : file_.streams) total += stream.bytes.size();
  options_.progress(done_ + position, file_.streams[0].more ? 0 : total);
}

// Of a pipe that is read as it comes, the events are known by their first sample.
void Session::check_prologue(const Record& record) {
  const Stream& stream = file_.streams[0];
  if (stream.more && record.offset >= stream.offset + stream.bytes.size() && late_prologue_++ == 0)
    warnings_.add(
        record.offset,
        fmt::format("record of type {} comes after samples; it is not used", record.type));
}

// Looked at now and then: a record is at most 64 KiB.
bool Session::relieve() {
  constexpr std::uint64_t kEvery = 64;
  if (++pushed_ % kEvery != 0) return true;
  if (queue_.size() < kMaxQueued && blocks_.owned_bytes() < kMaxQueuedBytes) return true;
  return queue_.relieve(delivery());
}

bool Session::deliver_entry(const OrderQueue::Entry& entry) {
  Record record;
  read_record(entry.data, file_.header.order, record);
  record.offset = blocks_.offset_of(entry.block, entry.data);
  const bool go_on = deliver(record, &file_.events.list()[entry.event]);
  blocks_.release(entry.block);
  return go_on;
}

/// `event`: of a sample.
bool Session::deliver(const Record& record, const Event* event) {
  if (record.type == kRecordSample) return deliver_sample(record, event);
  if (!is_known_type(record.type)) {
    count_unknown(record);
  } else if (!follow(file_.events.without_trailer(record, file_.header.order))) {
    if (tally_.malformed_others++ == 0)
      warnings_.add(record.offset, fmt::format("record of type {} is too short", record.type));
  }
  count_lost(record);
  return true;
}

bool Session::follow(const Record& record) {
  bool mapped = true;
  if (options_.maps && AddressMaps::follows(record.type)) {
    sink_.before_mapping();
    mapped = maps_.apply(record, file_.header.order);
  }
  return threads_.apply(record, file_.header.order) && mapped;
}

bool Session::deliver_sample(const Record& record, const Event* event) {
  const std::endian order = file_.header.order;
  if (!event) {
    if (tally_.unknown_ids++ == 0) warnings_.add(record.offset, "sample of an unknown event id");
    return true;
  }
  SampleCore core;
  const char* fault = "fixed part";
  const bool threads_only = options_.threads_only && !event->has_tail;
  const auto parse = threads_only ? parse_thread : parse_core;
  if (parse(record, *event, order, core))
    fault = event->has_tail ? parse_tail(record, *event, order, tail_) : nullptr;
  if (fault) {
    if (tally_.malformed++ == 0)
      warnings_.add(record.offset, fmt::format("sample is too short for its {}", fault));
    return true;
  }
  ++tally_.samples;
  const SampleView view{
      *event, core, event->has_tail ? tail_ : kNoTail, threads_.comm(core.pid, core.tid),
      record, maps_};
  ended_ |= !(event->attr.samples(kSampleRead) ? deliver_values(view) : sink_.sample(view));
  return !ended_ && !options_.stepwise;
}

bool Session::deliver_values(const SampleView& view) {
  SampleCore core = view.core;
  const auto deliver = [&](std::uint64_t id, std::uint64_t period) {
    const Event* event = file_.events.of_id(id);
    if (!event && tally_.unknown_values++ == 0)
      warnings_.add(view.record.offset, "counter value of an unknown event id");
    if (!event) return true;
    core.id = id;
    core.period = period;
    return sink_.sample({*event, core, view.tail, view.comm, view.record, maps_});
  };
  return values_.split(view.event, view.core, view.tail.read, file_.header.order, deliver);
}

void Session::count_unknown(const Record& record) {
  if (tally_.unknown_records++ == 0)
    warnings_.add(record.offset, fmt::format("unknown record type {}", record.type));
}

void Session::count_lost(const Record& record) {
  const Loss loss = loss_of(record, file_.events, file_.header.order);
  tally_.lost += loss.lost;
  if (loss.lost > 0) sink_.lost(loss.event, loss.lost);
  if (loss.throttled > 0) sink_.throttled(loss.event);
}

void Session::summarize() {
  tally_.late = queue_.late();
  const struct {
    std::uint64_t count;
    const char* what;
  } kRows[] = {{tally_.unknown_ids, "samples have an id that no event of the file has"},
               {tally_.malformed, "samples are shorter than their event says"},
               {tally_.malformed_others, "records of other types are too short"},
               {tally_.unknown_values, "counter values have an id that no event of the file has"},
               {tally_.unknown_records, "records are of unknown types"},
               {tally_.late, "records came too late to be put in order"}};
  for (const auto& row : kRows)
    if (row.count > 0) warnings_.add(fmt::format("{} {}", row.count, row.what));
  tally_.warnings = warnings_.take();
}

}  // namespace evname::perfdata
