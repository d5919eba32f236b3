#pragma once
// Adds up memory accesses: by each of their keys alone, by cache line and who shares it, and by
// time.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "recordings/report/data_places.hpp"
#include "recordings/report/detailed_report.hpp"
#include "recordings/report/sort_keys.hpp"
#include "recordings/report/time_bins.hpp"

namespace evname::report {

/// Accesses by time, cache line, data source and latency, in bounded memory unless there are too
/// many data sources.
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

/// Adds up accesses by each of their keys.
class MemoryCollector {
 public:
  /// Adds a sample; `leaf` is of its instruction.
  void add(const Sample& sample, const FrameKeys& leaf, DataPlaces& data);

  /// See Report::memory().
  std::vector<Report::MemoryRow> rows(const TextPool& texts, const LinePool& lines) const;

 private:
  struct Sums {
    std::uint64_t samples = 0;
    Report::Weights weights = {};

    void add(std::uint64_t weight) {
      ++samples;
      weights.add(weight);
    }
    Sums& operator+=(const Sums& other) {
      samples += other.samples;
      weights += other.weights;
      return *this;
    }
  };
  /// Sums by a number.
  class Table {
   public:
    Sums& operator[](std::uint64_t number) {
      const auto [row, is_new] = numbers_.add(number);
      if (is_new) rows.push_back({number, {}});
      return rows[row].second;
    }
    std::vector<std::pair<std::uint64_t, Sums>> rows;

   private:
    Numbers<std::uint64_t> numbers_;
  };
  class RowList;

  Table sources_;                   ///< by data source
  Sums without_source_;             ///< samples without one
  std::array<Sums, 65> latencies_;  ///< by the bits of the weight
  Sums without_weight_;
  Table functions_, places_, symbols_;  ///< by text; kAbsent: unknown
  std::vector<Sums> lines_;             ///< by line
  Sums without_address_;
};

/// The texts and lines that the numbers of a SharingCollector stand for.
struct SharingNames {
  const TextPool& texts;
  const LinePool& lines;
};

/// Adds up accesses by cache line, place in it, instruction, thread, CPU and data source.
class SharingCollector {
 public:
  /// The file assigns CPUs to nodes.
  void begin_file(const Recording& file);
  /// Adds a sample of an event; `leaf` is of its instruction, `comm` the text of its thread's name.
  /// `bins`: the time bins; nullptr: times are not kept.
  void add(const Sample& sample, std::uint32_t event, const FrameKeys& leaf, std::uint32_t comm,
           const DataPlaces::Place& place, const TimeBins* bins);

  /// See Report::sharing().
  Sharing sharing(const SharingNames& names, std::optional<Contention> by) const;
  /// Adds the accesses to a grid, `most` of them.
  void add_to(SampleGrid& grid, const SharingNames& names, std::size_t most) const;

 private:
  /// Samples that are equal in all.
  struct Cell {
    std::uint32_t line, code, offset, thread, cpu, kind;  ///< numbers
    std::uint64_t samples = 1, weight = 0;
    auto key() const { return std::tuple(line, code, offset, thread, cpu, kind); }
  };
  struct LineSums;
  class LineMaker;
  /// A data source, and whether its addresses are known.
  struct Kind {
    std::uint64_t source = 0;
    bool has_address = false, is_mapped = false;
    AccessCounts counts() const;
    bool operator==(const Kind&) const = default;
    auto key() const { return std::tuple(source, has_address, is_mapped); }
  };

  std::uint32_t code_of(std::uint64_t ip, const FrameKeys& leaf);
  void join_equal_cells();
  /// Returns the number of the thread under any name.
  std::uint32_t task_of(const Cell& cell) const { return threads_.keys()[cell.thread].first; }
  std::vector<AccessCounts> counts_of_kinds() const;
  std::vector<LineSums> sums_of_lines() const;
  /// Keeps only lines with contention, in order.
  void choose(std::vector<LineSums>& lines, Sharing& out, const SharingNames& names) const;

  /// An instruction, and the texts that its function and its place have.
  struct Code {
    std::uint64_t address = 0;
    std::uint32_t sym = kAbsent, dso = kAbsent, srcline = kAbsent;
  };

  std::vector<Code> codes_;
  HashMap<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> code_numbers_;  ///< by sym, too
  Numbers<std::pair<std::uint32_t, std::uint32_t>> tasks_;    ///< processes and threads
  Numbers<std::pair<std::uint32_t, std::uint32_t>> threads_;  ///< numbers of tasks, and names
  Numbers<std::pair<std::uint32_t, std::uint32_t>> cpus_;     ///< CPUs and their nodes
  Numbers<Kind> kinds_;
  std::vector<Cell> cells_;  ///< some are equal
  static constexpr std::size_t kMostCells = std::size_t{1} << 20;
  std::size_t room_ = kMostCells;  ///< at this size equal cells are joined
  AccessTimeline timeline_;
  std::vector<std::uint32_t> node_of_cpu_;  ///< of the file; UINT32_MAX: unknown
};

}  // namespace evname::report
