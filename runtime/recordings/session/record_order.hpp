#pragma once
// The times of records, and records in the order of their times.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/big_pages.hpp"
#include "base/read_file.hpp"
#include "perf_format/recorded_events.hpp"
#include "recordings/stream/stream.hpp"

namespace evname::session {

/// Returns the time of a record in ns of the recording's clock; all ones if the record has none, or
/// belongs to no event.
std::uint64_t record_time(const perf_format::Record& record, const perf_format::Events& events,
                          std::endian order);

/// Returns the same of a sample of this event (nullptr: of none).
inline std::uint64_t sample_time(const perf_format::Record& record, const perf_format::Event* event,
                                 std::endian order) {
  const Bytes body = record.body();
  if (!event || event->sample.time == perf_format::SampleLayout::kAbsent ||
      body.size() < static_cast<std::size_t>(event->sample.time) + 8)
    return UINT64_MAX;
  return load<std::uint64_t>(body.data() + event->sample.time, order);
}

/// Returns false for records that perf hands out at once: without a time, or with time 0.
inline bool has_place_in_time(std::uint64_t time) { return time != 0 && time != UINT64_MAX; }

/// The bounds of a stream's times: before() returns a time such that all records after a position
/// have that time or a later one.
class TimeBounds {
 public:
  static constexpr std::uint64_t kPiece = 1 << 20;  ///< bytes that share a bound

  /// Walks the whole stream once, past damage as well. Packed records have no bound before their
  /// end.
  TimeBounds(const stream::Stream& stream, const perf_format::Events& events, std::endian order);

  std::uint64_t before(std::uint64_t position) const;

 private:
  std::vector<std::uint64_t> earliest_;  ///< from the n-th piece on
};

/// A record that waits for its turn.
struct QueuedRecord {
  std::uint64_t time = 0;
  const std::uint8_t* data = nullptr;  ///< the record
  std::uint32_t block = 0;             ///< of BlockStore, that holds it; or SpilledRuns::kCopied
  std::uint32_t event = 0;             ///< for the caller
};

/// Sorted runs of records, merged as they are taken. Records with equal times keep the order of
/// addition.
class SpilledRuns {
 public:
  /// The block number of records that were copied; offset_of() returns their place.
  static constexpr std::uint32_t kCopied = UINT32_MAX;

  /// Adds a run. Records in owned blocks are copied, and their blocks released; the others are not
  /// moved. After an error nothing has changed.
  Result<void> add(std::span<const QueuedRecord> run, stream::BlockStore& blocks,
                   std::endian order);

  bool empty() const { return heads_.empty(); }
  /// Returns the time of the earliest record; there must be one.
  std::uint64_t next_time() const { return heads_.front().time; }
  /// Takes out the earliest record. A copied one is valid until the next call of take().
  QueuedRecord take();

  /// Returns the place that a copied record was at, for messages.
  static std::uint64_t offset_of(const QueuedRecord& record);

 private:
  struct Run {
    MappedFile bytes;      ///< the copied records, then the entries
    std::size_t next = 0;  ///< offset of the next entry in `bytes`
  };
  struct Head {
    std::uint64_t time;
    std::uint32_t run;
    bool operator>(const Head& other) const {
      return time != other.time ? time > other.time : run > other.run;
    }
  };

  void push(Head head);

  std::vector<Run> runs_;
  std::vector<Head> heads_;             ///< a heap: the next time of each run
  std::optional<MappedFile> finished_;  ///< the run of the last taken record
};

/// Puts records in order. perf writes records CPU by CPU and marks rounds (FINISHED_ROUND): at a
/// mark, all records up to the latest time at the previous mark are complete. Records of equal time
/// keep their order. Policy: tools/perf/util/ordered-events.c.
class OrderQueue {
 public:
  using Entry = QueuedRecord;

  void push(const Entry& entry) {
    if (entry.time < last_time_) ++late_;
    max_time_ = std::max(max_time_, entry.time);
    min_time_ = std::min(min_time_, entry.time);
    if (entries_.empty() || entry.time < entries_.back().time) runs_.push_back(entries_.size());
    entries_.push_back(entry);
  }
  /// Returns the number of records in memory.
  std::size_t size() const { return entries_.size(); }
  /// Returns the number of records that came after later records were handed out.
  std::uint64_t late() const { return late_; }

  /// Each of these makes records due; next() must hand them all out before any other call. They
  /// apply at the mark of a round, before a time, at the end, and if nothing else makes room; the
  /// last one makes about the older half due, which may break the order.
  void end_round() { make_due(std::exchange(limit_, max_time_)); }
  void end_before(std::uint64_t time) {
    if (time > 0) make_due(time - 1);
  }
  void end_all() { make_due(UINT64_MAX); }
  void end_older_half() { make_due(middle_time()); }

  /// Hands out the next record that is due. Returns false if there is none.
  bool next(Entry& entry) {
    if (!spilled_.empty() && spilled_.next_time() <= due_until_) {
      entry = next_of_both();
    } else if (due_next_ < due_count_) {
      __builtin_prefetch(due_[std::min(due_next_ + kAhead, due_count_ - 1)].data);
      entry = due_[due_next_++];
    } else {
      due_until_ = 0;
      return false;
    }
    last_time_ = entry.time;
    return true;
  }

  /// Moves all records to a file, so that they take no memory. After an error nothing has changed.
  Result<void> spill(stream::BlockStore& blocks, std::endian order);

 private:
  using Entries = std::vector<Entry, BigPages<Entry>>;
  static constexpr std::size_t kAhead = 16;  ///< records that are being moved from memory

  /// Moves the records up to `limit` to the first due_count_ of due_, in order.
  void take_due(std::uint64_t limit);
  std::vector<std::size_t> take_pairs(std::uint64_t limit);
  std::uint64_t middle_time() const;

  void make_due(std::uint64_t limit) {
    if (limit < min_time_ && (spilled_.empty() || limit < spilled_.next_time())) return;
    take_due(limit);
    due_until_ = limit;
  }
  /// Of equal times, what was spilled came first.
  Entry next_of_both() {
    const bool in_memory = due_next_ < due_count_ && due_[due_next_].time < spilled_.next_time();
    return in_memory ? due_[due_next_++] : spilled_.take();
  }

  Entries entries_;                ///< as they came
  std::vector<std::size_t> runs_;  ///< starts of runs of entries_ that are in order
  Entries due_, scratch_;          ///< these only grow: shrinking and growing fills with zeros
  std::size_t due_count_ = 0;
  std::size_t due_next_ = 0;  ///< the first of them that has not been handed out
  SpilledRuns spilled_;
  std::uint64_t due_until_ = 0;  ///< what is spilled is due up to this time
  std::uint64_t limit_ = 0;
  std::uint64_t max_time_ = 0;
  std::uint64_t min_time_ = UINT64_MAX;  ///< nothing in entries_ is before
  std::uint64_t last_time_ = 0;
  std::uint64_t late_ = 0;
};

}  // namespace evname::session
