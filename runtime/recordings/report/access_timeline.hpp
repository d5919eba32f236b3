#pragma once
// Memory accesses by time, cache line, data source and latency, in bounded memory unless there are
// too many data sources.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "evname/report.hpp"
#include "recordings/report/time_bins.hpp"

namespace evname::report {

class AccessTimeline {
 public:
  using Cell = SampleGrid::Access;

  void begin_file() { time_.begin_file(); }
  /// Adds a cell in the bin of the time, counted from the start of `like`.
  void add(Cell cell, std::optional<std::uint64_t> time, const TimeBins& like);

  /// Returns the same in at most `most` cells, if bins can be wide enough. `number` maps each line;
  /// LinePool::kNone: the others.
  AccessTimeline reduced(std::span<const std::uint32_t> number, std::size_t most) const;
  const std::vector<Cell>& cells() const { return cells_; }
  std::uint64_t width() const { return time_.width(); }

 private:
  static constexpr std::size_t kKept = 1 << 19;  ///< cells; reduced at twice as many

  void widen(unsigned times);
  /// Makes bins wider until there are at most `bins`, or `most` cells.
  void widen_to(std::uint32_t bins, std::size_t most);
  void merge();
  void reduce(std::size_t most);
  /// Merges lines with few accesses into the others. Returns false if no line is left.
  bool drop_rare_lines(std::uint64_t least);

  std::size_t next_reduce_ = 2 * kKept;  ///< the number of cells that triggers a reduction
  TimeBins time_;
  std::vector<Cell> cells_;
};

}  // namespace evname::report
