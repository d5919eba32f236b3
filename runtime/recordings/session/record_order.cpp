// The order of records.
//
// perf drains the buffer of one CPU after the other and then marks a round (FINISHED_ROUND). A
// record may come one round late, but not two. So a mark makes due what is not later than the
// latest time at the mark before:
//
//     file   | CPU 0: 1 4 7 | CPU 1: 2 3 9 | mark | CPU 0: 8 12 | CPU 1: 10 11 | mark |
//     limit  |                                0   |                               9   |
//     due    |                              none  |                    1 2 3 4 7 8 9  |
//     kept   |                     1 4 7, 2 3 9   |                       12, 10 11   |
//
// OrderQueue keeps records as they came, in runs that are in order. take_due() merges the due part
// of each two runs, then of each two merged runs, until one is left:
//
//     entries_   [1 4 7] [2 3 9] [8 12] [10 11]       runs_ has the starts
//                   \     /         \     /
//     due_       [1 2 3 4 7 9]     [8]                what is later stays: [12] [10 11]
//                        \         /
//     scratch_       [1 2 3 4 7 8 9]                  the two are swapped, and next() hands it out
//
// If too much waits in memory, all of it is put in order and spilled to a file as one run. From
// then on next() takes the earlier one of what is due and the head of the spilled runs:
//
//     due_           11 13 16 -----+
//     file of run 0   5  9 14 --+   +-- the earlier one; at equal times, what was spilled
//     file of run 1   7  8 20 --+---+   heads_ is a heap
//
// The file of a run has the copied records, each after its offset in the recording, then entries:
//
//     | offset | record | offset | record | ... | QueuedRecord | QueuedRecord | ... |
//                                               ^ Run::next
//
// An entry of kCopied has the place of its record in this file; others point into the recording.

#include "recordings/session/record_order.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "base/bytes.hpp"

namespace evname::session {
namespace {

std::uint64_t trailer_time(const perf_format::Record& record, const perf_format::Event& event,
                           std::endian order) {
  const Bytes body = record.body();
  const std::int16_t place = event.trailer.time;
  if (place == perf_format::SampleLayout::kAbsent ||
      body.size() < static_cast<std::size_t>(event.trailer.size))
    return UINT64_MAX;
  return load<std::uint64_t>(body.data() + body.size() - place, order);
}

}  // namespace

std::uint64_t record_time(const perf_format::Record& record, const perf_format::Events& events,
                          std::endian order) {
  if (record.type != perf_format::kRecordSample) {
    const perf_format::Event* event = events.of_other(record, order);
    return event ? trailer_time(record, *event, order) : UINT64_MAX;
  }
  return sample_time(record, events.of_sample(record, order), order);
}

TimeBounds::TimeBounds(const stream::Stream& stream, const perf_format::Events& events,
                       std::endian order)
    : earliest_(stream.bytes.size() / kPiece + 1, UINT64_MAX) {
  perf_format::RecordReader reader(stream.bytes, order);
  do {
    for (perf_format::Record record; reader.next(record);) {
      // The reader that still unpacks into it is at its end.
      if (perf_format::is_packed(record.type)) earliest_[reader.offset() / kPiece] = 0;
      if (record.type >= perf_format::kRecordUserFirst) continue;
      const std::uint64_t time = record_time(record, events, order);
      std::uint64_t& piece = earliest_[record.offset / kPiece];
      if (has_place_in_time(time)) piece = std::min(piece, time);
    }
  } while (reader.fault() && reader.resync());
  for (std::size_t i = earliest_.size() - 1; i > 0; --i)
    earliest_[i - 1] = std::min(earliest_[i - 1], earliest_[i]);
}

std::uint64_t TimeBounds::before(std::uint64_t position) const {
  return earliest_[std::min<std::uint64_t>(position / kPiece, earliest_.size() - 1)];
}

namespace {

using Entry = OrderQueue::Entry;

// Times of two CPUs interleave at random, so a branch would often be mispredicted, which costs more
// than the copy.
Entry* merge(const Entry* a, const Entry* a_end, const Entry* b, const Entry* b_end, Entry* out) {
  while (a != a_end && b != b_end) {
    const bool later = b->time < a->time;
    *out++ = *(later ? b : a);
    b += later;
    a += !later;
  }
  return std::copy(b, b_end, std::copy(a, a_end, out));
}

const Entry* end_of_due(const Entry* begin, const Entry* end, std::uint64_t limit) {
  return std::upper_bound(begin, end, limit,
                          [](std::uint64_t time, const Entry& entry) { return time < entry.time; });
}

}  // namespace

/// Merges the due records of pairs of runs into due_, and keeps the rest. Returns the ends of the
/// merged runs in due_.
std::vector<std::size_t> OrderQueue::take_pairs(std::uint64_t limit) {
  std::vector<std::size_t> ends;
  std::vector<std::size_t> runs = std::exchange(runs_, {});
  runs.resize(runs.size() + 2, entries_.size());
  due_.resize(std::max(due_.size(), entries_.size()));
  Entry *all = entries_.data(), *out = due_.data(), *kept = all;
  const auto keep = [&](const Entry* from, const Entry* end) {
    if (from == end) return;
    runs_.push_back(static_cast<std::size_t>(kept - all));
    kept = std::copy(from, end, kept);
  };
  for (std::size_t i = 0; i + 2 < runs.size(); i += 2) {
    const Entry *a = all + runs[i], *b = all + runs[i + 1], *end = all + runs[i + 2];
    const Entry *a_end = end_of_due(a, b, limit), *b_end = end_of_due(b, end, limit);
    out = merge(a, a_end, b, b_end, out);
    ends.push_back(static_cast<std::size_t>(out - due_.data()));
    keep(a_end, b);
    keep(b_end, end);
  }
  entries_.resize(static_cast<std::size_t>(kept - all));
  due_count_ = static_cast<std::size_t>(out - due_.data());
  return ends;
}

Result<void> OrderQueue::spill(stream::BlockStore& blocks, std::endian order) {
  take_due(UINT64_MAX);
  auto done = spilled_.add(std::span(due_).first(due_count_), blocks, order);
  if (!done) {
    entries_.assign(due_.begin(), due_.begin() + static_cast<std::ptrdiff_t>(due_count_));
    runs_.assign(entries_.empty() ? 0 : 1, 0);
    min_time_ = entries_.empty() ? UINT64_MAX : entries_.front().time;
  }
  due_count_ = 0;
  return done;
}

// perf drains one CPU's buffer after the other, so a round is a few runs that are in order.
void OrderQueue::take_due(std::uint64_t limit) {
  due_next_ = 0;
  min_time_ = limit == UINT64_MAX ? UINT64_MAX : limit + 1;
  for (auto ends = take_pairs(limit); ends.size() > 1;) {
    scratch_.resize(std::max(scratch_.size(), due_count_));
    std::vector<std::size_t> merged;
    const Entry* from = due_.data();
    Entry* out = scratch_.data();
    for (std::size_t i = 0; i < ends.size(); i += 2) {
      const Entry* middle = due_.data() + ends[i];
      const Entry* end = i + 1 < ends.size() ? due_.data() + ends[i + 1] : middle;
      out = merge(from, middle, middle, end, out);
      merged.push_back(static_cast<std::size_t>(out - scratch_.data()));
      from = end;
    }
    due_.swap(scratch_);
    ends = std::move(merged);
  }
}

std::uint64_t OrderQueue::middle_time() const {
  const std::size_t step = entries_.size() / 1024 + 1;
  std::vector<std::uint64_t> times;
  for (std::size_t i = 0; i < entries_.size(); i += step) times.push_back(entries_[i].time);
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  if (middle == times.end()) return 0;
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

namespace {

constexpr std::size_t kRunBuffer = 256 << 10;
constexpr std::size_t kPlace = sizeof(std::uint64_t);  // the offset before each copied record

/// Gathers what goes to the file; a record is at most 64 KiB.
class Writer {
 public:
  explicit Writer(TemporaryFile& file) : file_(file) { buffer_.reserve(kRunBuffer); }

  std::uint64_t position() const { return position_; }
  void put(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const std::uint8_t*>(data);
    position_ += size;
    if (buffer_.size() + size > kRunBuffer) write();
    buffer_.insert(buffer_.end(), bytes, bytes + size);
  }
  /// Writes the rest. Returns the first error of all writes.
  Result<void> flush() {
    write();
    return std::move(done_);
  }

 private:
  void write() {
    if (done_) done_ = file_.append(buffer_);
    buffer_.clear();
  }

  TemporaryFile& file_;
  std::vector<std::uint8_t> buffer_;
  std::uint64_t position_ = 0;
  Result<void> done_;
};

bool is_copied(const QueuedRecord& record, const stream::BlockStore& blocks) {
  return record.block != SpilledRuns::kCopied && blocks.is_owned(record.block);
}

}  // namespace

std::uint64_t SpilledRuns::offset_of(const QueuedRecord& record) {
  return load<std::uint64_t>(record.data - kPlace, std::endian::native);
}

// The copied records, each after its offset; then the entries.
Result<void> SpilledRuns::add(std::span<const QueuedRecord> run, stream::BlockStore& blocks,
                              std::endian order) {
  if (run.empty()) return {};
  auto file = TemporaryFile::create();
  if (!file) return fail(file);
  Writer out(*file);
  std::vector<std::uint64_t> copies;
  for (const QueuedRecord& record : run) {
    if (!is_copied(record, blocks)) continue;
    const std::uint64_t offset = blocks.offset_of(record.block, record.data);
    out.put(&offset, sizeof offset);
    copies.push_back(out.position());
    out.put(record.data, load<std::uint16_t>(record.data + 6, order));
  }
  const std::uint64_t entries = out.position();
  auto copy = copies.begin();
  for (QueuedRecord record : run) {
    if (is_copied(record, blocks)) {
      record.block = kCopied;
      record.data = reinterpret_cast<const std::uint8_t*>(*copy++);
    }
    out.put(&record, sizeof record);
  }
  auto mapped = out.flush().and_then([&] { return file->map(); });
  if (!mapped) return fail(mapped);
  runs_.reserve(runs_.size() + 1);
  heads_.reserve(runs_.size() + 1);
  for (const QueuedRecord& record : run)
    if (is_copied(record, blocks)) blocks.release(record.block);
  push({run.front().time, static_cast<std::uint32_t>(runs_.size())});
  runs_.push_back({std::move(*mapped), static_cast<std::size_t>(entries)});
  return {};
}

QueuedRecord SpilledRuns::take() {
  finished_ = {};
  std::pop_heap(heads_.begin(), heads_.end(), std::greater<>());
  const std::uint32_t number = heads_.back().run;
  heads_.pop_back();
  Run& run = runs_[number];
  const Bytes bytes = run.bytes.bytes();
  QueuedRecord record;
  std::memcpy(&record, bytes.data() + run.next, sizeof record);
  if (record.block == kCopied)
    record.data = bytes.data() + reinterpret_cast<std::uintptr_t>(record.data);
  run.next += sizeof record;
  if (run.next < bytes.size())
    push({load<std::uint64_t>(bytes.data() + run.next, std::endian::native), number});
  else
    finished_ = std::move(run.bytes);
  if (heads_.empty()) runs_.clear();
  return record;
}

void SpilledRuns::push(Head head) {
  heads_.push_back(head);
  std::push_heap(heads_.begin(), heads_.end(), std::greater<>());
}

}  // namespace evname::session
