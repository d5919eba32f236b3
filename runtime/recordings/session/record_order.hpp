#pragma once
// The times of records, and records in the order of their times.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "recordings/format/recorded_events.hpp"
#include "recordings/session/spilled_runs.hpp"
#include "recordings/stream/stream.hpp"

namespace evname::perfdata::session {

/// ns of the recording's clock; all ones: the record has none, or belongs to no event.
std::uint64_t record_time(const Record& record, const Events& events, std::endian order);

/// Likewise, of a sample of this event (nullptr: of none).
inline std::uint64_t sample_time(const Record& record, const Event* event, std::endian order) {
  const Bytes body = record.body();
  if (!event || event->sample.time == SampleLayout::kAbsent ||
      body.size() < static_cast<std::size_t>(event->sample.time) + 8)
    return UINT64_MAX;
  return load<std::uint64_t>(body.data() + event->sample.time, order);
}

/// perf delivers records without a time, or of time 0, as they come.
inline bool has_place_in_time(std::uint64_t time) { return time != 0 && time != UINT64_MAX; }

/// How far a stream can be delivered while it is being read: before() is a time such that all
/// records after a position are at that time or later.
class TimeBounds {
 public:
  static constexpr std::uint64_t kPiece = 1 << 20;  ///< bytes that share a bound

  /// Walks the whole stream once, past damage as well. What is packed has no bound before its end.
  TimeBounds(const stream::Stream& stream, const Events& events, std::endian order);

  std::uint64_t before(std::uint64_t position) const;

 private:
  std::vector<std::uint64_t> earliest_;  ///< from the n-th piece on
};

/// perf writes records CPU by CPU and marks rounds (FINISHED_ROUND): at a mark, everything up to
/// the latest time seen at the mark before is complete. Records of equal time keep their order.
/// Policy: tools/perf/util/ordered-events.c.
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
  /// Records that are in memory.
  std::size_t size() const { return entries_.size(); }
  /// Records that came after later ones had been delivered.
  std::uint64_t late() const { return late_; }

  /// Each of these makes records due, of which next() has to hand out all before anything else is
  /// done: at the mark of a round, before a time, all of them, and, if nothing else makes room,
  /// more or less the older half, which does not keep the order.
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

  /// Moves all records to a file, so that they take no memory. After an error they are where they
  /// were.
  Result<void> spill(stream::BlockStore& blocks, std::endian order);

 private:
  static constexpr std::size_t kAhead = 16;  ///< records that are on their way from memory

  /// Moves what is up to `limit` to the first due_count_ of due_, in order.
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

  std::vector<Entry> entries_;        ///< as they came
  std::vector<std::size_t> runs_;     ///< where in entries_ runs that are in order start
  std::vector<Entry> due_, scratch_;  ///< these only grow: shrinking and growing fills with zeros
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

}  // namespace evname::perfdata::session
