#include "perfdata/session.hpp"

#include "base/cursor.hpp"

namespace evname::perfdata {
namespace {

// Kernel types up to CALLCHAIN_DEFERRED, perf's own up to SCHEDSTAT_DOMAIN.
bool is_known(std::uint32_t type) {
  return type < kRecordUserFirst ? type >= 1 && type <= 22 : type <= 86;
}

constexpr std::size_t kMaxQueued = 1 << 24;  // records; beyond, order is not kept
constexpr std::size_t kMaxQueuedBytes = 256 << 20;

}  // namespace

// perf leaves the order of the file alone where records other than samples have no times.
Tally Session::run() {
  ordered_ = file_.events.sample_id_all();
  for (const Stream& stream : file_.streams) {
    stream_name_ = stream.name.empty() ? "" : stream.name + ": ";
    run_stream(stream);
    if (stopped_) break;
  }
  if (!stopped_) queue_.finish([this](const auto& entry) { return deliver_entry(entry); });
  summarize();
  return std::move(tally_);
}

void Session::run_stream(const Stream& stream) {
  const std::uint32_t block = blocks_.add_view(stream.bytes, stream.offset);
  RecordReader reader(stream.bytes, file_.header.order, stream.offset);
  Unpacked unpacked;
  for (Record record; !stopped_ && reader.next(record);) {
    const bool packed = record.type == kRecordCompressed || record.type == kRecordCompressed2;
    stopped_ = packed ? !unpack(record, unpacked) : !take(record, block);
  }
  if (!stopped_ && reader.fault())
    warnings_.add(reader.offset(), fmt::format("{}{}; {} bytes are not read", stream_name_,
                                               reader.fault(), reader.rest().size()));
  end_unpacked(unpacked);
}

bool Session::take(const Record& record, std::uint32_t block) {
  if (record.type < kRecordUserFirst) return take_kernel(record, block);
  if (!is_known(record.type)) count_unknown(record);
  // Rounds of one stream say nothing of the others.
  if (record.type != kRecordFinishedRound || file_.streams.size() > 1) return true;
  return queue_.round([this](const auto& entry) { return deliver_entry(entry); });
}

bool Session::take_kernel(const Record& record, std::uint32_t block) {
  const std::uint64_t time = ordered_ ? time_of(record) : 0;
  if (time == 0 || time == UINT64_MAX) return deliver(record);
  blocks_.hold(block);
  queue_.push({time, record.bytes.data(), block});
  return relieve();
}

bool Session::relieve() {
  if (queue_.size() < kMaxQueued && blocks_.owned_bytes() < kMaxQueuedBytes) return true;
  return queue_.relieve([this](const auto& entry) { return deliver_entry(entry); });
}

std::uint64_t Session::time_of(const Record& record) const {
  const std::endian order = file_.header.order;
  if (record.type != kRecordSample) {
    const Event* event = file_.events.of_other(record, order);
    return event ? trailer_time(record, *event, order) : UINT64_MAX;
  }
  const Event* event = file_.events.of_sample(record, order);
  const Bytes body = record.body();
  if (!event || event->sample.time == SampleLayout::kAbsent ||
      body.size() < static_cast<std::size_t>(event->sample.time) + 8)
    return UINT64_MAX;
  return load<std::uint64_t>(body.data() + event->sample.time, order);
}

bool Session::deliver_entry(const OrderQueue::Entry& entry) {
  Record record;
  const Bytes block = blocks_.bytes(entry.block);
  const auto at = static_cast<std::size_t>(entry.data - block.data());
  RecordReader reader(block.subspan(at), file_.header.order,
                      blocks_.offset_of(entry.block, entry.data));
  const bool go_on = !reader.next(record) || deliver(record);
  blocks_.release(entry.block);
  stopped_ = stopped_ || !go_on;
  return go_on;
}

bool Session::deliver(const Record& record) {
  if (record.type == kRecordSample) return deliver_sample(record);
  if (!is_known(record.type)) {
    count_unknown(record);
  } else if (!threads_.apply(without_trailer(record), file_.header.order)) {
    if (tally_.malformed_others++ == 0)
      warnings_.add(record.offset, fmt::format("record of type {} is too short", record.type));
  }
  count_lost(record);
  return true;
}

bool Session::deliver_sample(const Record& record) {
  const std::endian order = file_.header.order;
  const Event* event = file_.events.of_sample(record, order);
  if (!event) {
    if (tally_.unknown_ids++ == 0) warnings_.add(record.offset, "sample of an unknown event id");
    return true;
  }
  SampleCore core;
  SampleTail tail;
  const char* fault = parse_core(record, *event, order, core)
                          ? parse_tail(record, *event, order, tail)
                          : "fixed part";
  if (fault) {
    if (tally_.malformed++ == 0)
      warnings_.add(record.offset, fmt::format("sample is too short for its {}", fault));
    return true;
  }
  ++tally_.samples;
  return sink_.sample({*event, core, tail, threads_.comm(core.pid, core.tid), record});
}

// Names need not end with a NUL; they must not run into what follows.
Record Session::without_trailer(const Record& record) const {
  Record bare = record;
  const Event* event = file_.events.of_other(record, file_.header.order);
  const auto trailer = event ? static_cast<std::size_t>(event->trailer.size) : 0;
  if (trailer <= record.body().size())
    bare.bytes = record.bytes.first(record.bytes.size() - trailer);
  return bare;
}

void Session::count_unknown(const Record& record) {
  if (tally_.unknown_records++ == 0)
    warnings_.add(record.offset, fmt::format("unknown record type {}", record.type));
}

void Session::count_lost(const Record& record) {
  Cursor in(record.body(), file_.header.order);
  if (record.type == kRecordLost) {
    in.skip(8);  // id
    tally_.lost += in.u64();
  } else if (record.type == kRecordLostSamples && (record.misc & kMiscLostSamplesBpf) == 0) {
    tally_.lost += in.u64();
  }
}

void Session::summarize() {
  tally_.late = queue_.late();
  const struct {
    std::uint64_t count;
    const char* what;
  } kRows[] = {{tally_.unknown_ids, "samples have an id that no event of the file has"},
               {tally_.malformed, "samples are shorter than their event says"},
               {tally_.malformed_others, "records of other types are too short"},
               {tally_.unknown_records, "records are of unknown types"},
               {tally_.late, "records came too late to be put in order"}};
  for (const auto& row : kRows)
    if (row.count > 0) warnings_.add(fmt::format("{} {}", row.count, row.what));
  tally_.warnings = warnings_.take();
}

}  // namespace evname::perfdata
