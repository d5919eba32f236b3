#pragma once
// How samples lie in time, by event, thread and CPU.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "evname/report.hpp"
#include "recordings/report/text_pool.hpp"

namespace evname::report {

class TimelineCollector {
 public:
  /// Times of the next file count from its first sample.
  void begin_file() { start_.reset(); }

  /// `value`: which thread or CPU; of an event 0.
  void add(std::uint32_t event, Timeline::Of of, std::uint32_t value, std::uint64_t time,
           std::uint64_t period);
  void add_lost(std::uint32_t event, std::uint64_t time, std::uint64_t count);

  /// `name_of` says what a value is called.
  Timeline timeline(
      const std::function<std::string(Timeline::Of, std::uint32_t value)>& name_of) const;

 private:
  struct Lane {
    std::uint32_t event = 0, value = 0;
    std::uint32_t node = 0;  ///< of keys_
    Timeline::Of of = Timeline::Of::event;
    std::uint32_t folded = 0;
    SampleSums sums;
    std::vector<Timeline::Cell> cells;
  };
  // The most that is kept before the threads and CPUs with fewest samples become one.
  static constexpr std::size_t kMostCells = 1 << 20, kMostLanes = 1 << 14;
  static constexpr std::uint32_t kOthers = 0x80000001, kNone = UINT32_MAX;

  std::uint32_t lane_at(std::uint32_t event, Timeline::Of of, std::uint32_t value);
  Timeline::Cell& cell(Lane& lane, std::uint64_t time);
  std::uint32_t bin_of(std::uint64_t time);
  void widen();
  void fold();
  void fold(std::uint32_t index);

  std::optional<std::uint64_t> start_;  ///< of the file; nullopt: no sample yet
  std::optional<std::uint64_t> first_;  ///< of all files
  std::uint64_t width_ = 1;
  PairTree keys_;
  std::vector<std::uint32_t> lane_of_node_;
  std::vector<Lane> lanes_;
  std::vector<std::uint32_t> free_;  ///< of lanes_: folded, for others
  std::size_t cells_ = 0;
};

}  // namespace evname::report
