#pragma once
// Adds memory accesses up by cache line, place in it, instruction, thread, CPU and data source.

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "evname/report.hpp"
#include "recordings/report/access_timeline.hpp"
#include "recordings/report/data_places.hpp"
#include "recordings/report/sort_keys.hpp"

namespace evname::report {

/// The texts and lines that the numbers of a SharingCollector stand for.
struct SharingNames {
  const TextPool& texts;
  const LinePool& lines;
};

class SharingCollector {
 public:
  /// The file assigns CPUs to nodes.
  void begin_file(const PerfData& file);
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
    std::uint32_t line = 0, where = 0, who = 0, what = 0;  ///< the last three in the trees
    std::uint64_t samples = 0, weight = 0;
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
  std::uint32_t who_of(const Sample& sample, std::uint32_t comm);
  std::uint32_t number_of(const Kind& kind);
  std::uint32_t cell_of(const Cell& key);
  std::uint32_t thread_of(const Cell& cell) const { return who_[who_[cell.who].parent].parent; }
  std::vector<AccessCounts> counts_of_kinds() const;
  std::vector<LineSums> sums_of_lines() const;
  /// Keeps only lines with contention, in order.
  void choose(std::vector<LineSums>& lines, Sharing& out, const SharingNames& names) const;

  /// An instruction, and the texts that its function and its place have.
  struct Code {
    std::uint64_t address = 0;
    std::uint32_t sym = kAbsent, dso = kAbsent, srcline = kAbsent;
  };

  Numbers<std::uint64_t> addresses_;  ///< of instructions
  std::vector<Code> codes_;
  PairTree code_tree_;                       ///< addresses, then functions
  std::vector<std::uint32_t> code_of_node_;  ///< in codes_
  PairTree where_;                           ///< of codes_, then offsets
  PairTree who_;                             ///< processes, threads, names, CPUs
  Numbers<Kind> kinds_;
  PairTree keys_;  ///< lines, then where, then who, then what
  std::vector<std::uint32_t> cell_of_node_;
  std::vector<Cell> cells_;
  AccessTimeline timeline_;
  std::vector<std::uint32_t> node_of_cpu_;  ///< UINT32_MAX: unknown
};

}  // namespace evname::report
