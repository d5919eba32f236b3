#pragma once
// Puts records in the order of their times.

#include <algorithm>
#include <cstdint>
#include <vector>

namespace evname::perfdata {

/// perf writes records CPU by CPU and marks rounds (FINISHED_ROUND): at a mark, everything up to
/// the latest time seen at the mark before is complete. Records of equal time keep their order.
/// Policy: tools/perf/util/ordered-events.c.
class OrderQueue {
 public:
  struct Entry {
    std::uint64_t time = 0;
    const std::uint8_t* data = nullptr;  ///< the record
    std::uint32_t block = 0;             ///< of BlockStore, that holds it
    std::uint32_t event = 0;             ///< for the caller
  };

  void push(const Entry& entry) {
    if (entry.time < last_time_) ++late_;
    max_time_ = std::max(max_time_, entry.time);
    if (!fresh_.empty() && entry.time < fresh_.back().time) runs_.push_back(fresh_.size());
    fresh_.push_back(entry);
  }
  std::size_t size() const { return sorted_.size() - head_ + fresh_.size(); }
  /// Records that came after later ones had been delivered.
  std::uint64_t late() const { return late_; }

  /// Hands out what is due. `deliver` takes an Entry and returns false to stop.
  template <class Deliver>
  bool round(Deliver&& deliver) {
    const bool go_on = flush(limit_, deliver);
    limit_ = max_time_;
    return go_on;
  }
  /// Hands out what is before `time`.
  template <class Deliver>
  bool until(std::uint64_t time, Deliver&& deliver) {
    return time == 0 || flush(time - 1, deliver);
  }
  template <class Deliver>
  bool finish(Deliver&& deliver) {
    return flush(UINT64_MAX, deliver);
  }
  /// The older half, to bound memory where marks are missing.
  template <class Deliver>
  bool relieve(Deliver&& deliver) {
    sort();
    return flush(sorted_[head_ + (sorted_.size() - head_) / 2].time, deliver);
  }

 private:
  void sort();
  void merge_runs();

  template <class Deliver>
  bool flush(std::uint64_t limit, Deliver&& deliver) {
    sort();
    while (head_ < sorted_.size() && sorted_[head_].time <= limit) {
      const Entry entry = sorted_[head_++];
      last_time_ = entry.time;
      if (!deliver(entry)) return false;
    }
    return true;
  }

  std::vector<Entry> sorted_;
  std::size_t head_ = 0;           ///< before it: delivered
  std::vector<Entry> fresh_;       ///< not sorted in yet
  std::vector<std::size_t> runs_;  ///< where in fresh_ a time is before the last one
  std::vector<Entry> scratch_;
  std::uint64_t limit_ = 0;
  std::uint64_t max_time_ = 0;
  std::uint64_t last_time_ = 0;
  std::uint64_t late_ = 0;
};

}  // namespace evname::perfdata
