#pragma once
// Samples by stack, event, thread, CPU and time, in bounded memory.

#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/big_pages.hpp"
#include "base/text_pool.hpp"
#include "recordings/report/detailed_report.hpp"
#include "recordings/report/time_bins.hpp"
#include "recordings/report/time_rows.hpp"

namespace evname::report {

/// The frames of nodes, by number. Their texts are in a TextPool.
class FramePool {
 public:
  using Frame = SampleGrid::Frame;

  /// Returns the number of a frame. A function is identified by name and file.
  std::uint32_t id(const Frame& frame) {
    const auto [at, is_new] = index_.try_emplace({frame.kind, frame.name, frame.dso},
                                                 static_cast<std::uint32_t>(frames_.size()));
    if (is_new) frames_.push_back(frame);
    return at->second;
  }
  const Frame& operator[](std::uint32_t id) const { return frames_[id]; }

 private:
  std::vector<Frame> frames_ = {{SampleGrid::Kind::cut}};  ///< the first: of stacks that are cut
  HashMap<std::tuple<SampleGrid::Kind, std::uint32_t, std::uint32_t>, std::uint32_t> index_;
};

/// The texts that the numbers of a GridCollector stand for.
struct GridNames {
  const TextPool& texts;
  const FramePool& frames;
  const PairTree& threads;  ///< names, then ids
};

class GridCollector {
 public:
  /// Where and when a sample was taken.
  struct At {
    std::uint32_t event = 0;
    std::uint32_t thread = SampleGrid::kNone;  ///< in GridNames::threads
    std::int32_t pid = -1;
    std::uint32_t cpu = SampleGrid::kNone;
    std::optional<std::uint64_t> time = {};
    std::uint32_t spot = SampleGrid::kNone;  ///< of the InstructionCollector
  };

  /// Times of the next file count from its first sample.
  void begin_file() {
    time_.begin_file();
    if (counts_) counts_->begin_file();
    if (stacks_) stacks_->begin_file();
    if (spots_) spots_->begin_file();
  }
  /// Cuts stacks and widens bins if there are too many cells. `frames`: the frames of nodes.
  void make_room(const FramePool& frames) {
    if (cells_.size() >= kMostCells || nodes_.size() > 2 * kKept.nodes) reduce(kKept, frames);
    if (counts_ && counts_->size() > kMostCounts) reduce_counts(kMostCounts / 2, frames);
  }
  /// Returns how often stacks were cut. Nodes change only then.
  std::uint32_t cuts() const { return cuts_; }
  /// Returns the node of frames that a node, or PairTree::kRoot, called, the outermost first.
  std::uint32_t node_of(std::uint32_t node, std::span<const std::uint32_t> frames) {
    for (const std::uint32_t frame : frames) node = nodes_.child(node, frame);
    return node;
  }
  void add(const At& at, std::uint32_t node, std::uint64_t period);
  /// Adds to the bin of the time.
  void add_loss(std::uint64_t time, SampleGrid::Loss loss);

  const TimeBins& time() const { return time_; }
  /// Keeps limits, and the functions by time instead of the stacks by time: the last thing to do.
  void finish(const GridLimits& limits, const FramePool& frames);
  SampleGrid grid(const GridNames& names, const GridLimits& limits) const;

 private:
  using Cell = SampleGrid::Cell;
  using Hidden = SampleGrid::Hidden;
  enum class Sums : std::uint8_t { cells, counts };
  static constexpr std::uint32_t kCut = 0;  ///< the frame of a cut stack
  // The state between samples. It is reduced when it is half as large again.
  static constexpr GridLimits kKept = {1 << 19, 1 << 20};
  static constexpr std::size_t kMostCells = kKept.cells / 2 * 3, kMostCounts = 1 << 21;

  std::uint32_t track_of(const At& at);
  std::uint32_t known_track_of(const At& at);
  std::uint32_t bin_of(std::uint64_t time);
  std::uint32_t event_of(std::uint32_t track) const {
    return tracks_[tracks_[tracks_[track].parent].parent].value;
  }
  std::uint32_t thread_of(std::uint32_t track) const {
    return tracks_[tracks_[track].parent].value;
  }

  SampleGrid whole_grid(const GridNames& names) const;
  std::vector<Cell> cells_with(std::span<const std::uint32_t> nodes,
                               std::span<const std::uint32_t> tracks) const;
  std::unordered_map<std::uint32_t, std::uint64_t> samples_of_threads() const;
  std::vector<std::uint32_t> threads_by_samples() const;
  std::vector<std::uint32_t> add_tracks(std::span<const std::uint32_t> threads,
                                        std::vector<SampleGrid::Track>& out) const;
  void begin_rows();
  void add_to_rows(const Cell& cell, std::optional<std::uint64_t> time);
  void add_spot(const At& at, const Cell& cell);
  void fold_again();
  std::uint32_t timed_number(const Cell& cell);
  std::uint32_t narrow_bin_of(std::uint64_t time);
  void widen_counts();
  void reduce_counts(std::size_t most, const FramePool& frames);
  void end_stacks(const FramePool& frames);
  void sum_functions(const FramePool& frames);
  void keep_functions(std::size_t most);
  void reduce(const GridLimits& limits, const FramePool& frames);
  std::size_t threads_with_cells() const;
  bool coarsen(Sums sums, std::size_t most, const FramePool& frames);
  void widen_to(std::uint32_t bins, std::size_t most);
  void merge();
  void widen(unsigned times);
  void fold(std::size_t kept);
  void cut(std::size_t most, const FramePool& frames);
  std::vector<std::uint32_t> kept_nodes(std::size_t most, const FramePool& frames,
                                        PairTree& kept) const;
  void hide(const Cell& cell, const std::vector<std::uint32_t>& moved, const PairTree& kept,
            const FramePool& frames);

  TimeBins time_;
  PairTree nodes_;                  ///< of frames
  PairTree tracks_;                 ///< events, then threads, then CPUs
  std::vector<std::int32_t> pids_;  ///< by thread
  std::vector<bool> folded_;        ///< by thread: it is one of the others
  struct KnownTrack {
    std::uint32_t event, cpu, track;
  };
  std::vector<KnownTrack> known_tracks_;  ///< by thread: the track of its last sample
  bool cpus_are_folded_ = false;
  ///@{
  /// Once cells have wide bins: samples by track, and by stack (numbers of `timed_`). Stacks are
  /// forgotten when some are cut.
  std::optional<TimeRows> counts_, stacks_;
  PairTree timed_;                         ///< nodes, then events
  std::vector<std::uint32_t> last_timed_;  ///< by node: the number of its last sample; 0: none
  /// The functions of `stacks_` at the end, with events as tracks; their names, the busiest first.
  std::vector<Hidden> functions_;
  std::vector<std::uint32_t> function_names_;
  std::uint64_t function_width_ = 1;
  std::size_t most_functions_ = 0;  ///< 0: the end has not come
  ///@}
  std::optional<TimeRows> spots_;  ///< samples by place in a function (numbers of `spot_tracks_`)
  PairTree spot_tracks_;           ///< places, then tracks
  std::vector<Cell, BigPages<Cell>> cells_;
  std::vector<Hidden> hidden_;
  std::vector<SampleGrid::Loss> losses_;
  std::uint64_t cut_ = 0;  ///< samples
  std::uint32_t cuts_ = 0;
  std::size_t merged_cells_ = 0;     ///< their number after the last merge
  std::size_t merged_losses_ = 0;    ///< their number after the last merge
  std::size_t merged_hidden_ = 0;    ///< their number after the last merge
  std::vector<std::uint32_t> seen_;  ///< by text: the last cell that hide() met it in
  std::uint32_t round_ = 0;
};

}  // namespace evname::report
