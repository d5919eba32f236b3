#pragma once
// Reads the records of a recording one after the other, in the order of their times.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "evname/pass.hpp"
#include "recordings/session/record_contents.hpp"
#include "recordings/session/record_order.hpp"
#include "recordings/session/waits.hpp"
#include "recordings/spe/sample_maker.hpp"
#include "recordings/stream/recording_file.hpp"
#include "recordings/stream/stream.hpp"

namespace evname::session {

/// Options of a pass that only the library sets.
struct CursorOptions {
  /// Called before AddressMaps changes maps that copies of ProcessMaps share.
  std::function<void()> before_mapping = {};
  /// The caller parses samples without variable parts itself: only their pid and tid are read.
  bool threads_only = false;
  ///@{
  /// The maximum number of records that wait in memory for earlier ones, and of bytes of their
  /// blocks. The others are spilled to a file.
  std::size_t waiting_records = (1 << 19) - 128;
  std::size_t waiting_bytes = 16 << 20;
  ///@}
  bool leaves_traces = false;                 ///< make no samples of trace data
  bool maps = true;                           ///< track mappings
  std::uint64_t progress_interval = 1 << 12;  ///< records; at least 1
};

/// A pass over the records of a recording. perf's order of time is kept: by the marks of rounds
/// (FINISHED_ROUND) and, in a directory, by the times in all files.
class RecordCursor : public RecordContents {
 public:
  /// `file` outlives the cursor.
  RecordCursor(const stream::File& file, const PassOptions& options,
               const CursorOptions& more = {});
  ~RecordCursor();
  RecordCursor(const RecordCursor&) = delete;
  RecordCursor& operator=(const RecordCursor&) = delete;

  /// Moves to the next record, or to the next counter value of a sample. Skips samples that can't
  /// be read. Returns false at the end.
  bool next() { return waits_ ? next_wait() : next_record(); }
  /// Moves to the next sample. Returns false at the end.
  bool next_sample() {
    while (next())
      if (is_sample_) return true;
    return false;
  }
  /// Ends the pass here; otherwise it ends when next() returns false.
  void end();

  /// Returns the tally so far; it has warnings only after the end of the pass.
  SampleTally tally() const;

 private:
  struct Lane;

  bool next_record();
  bool next_wait();
  const Waits::Thread* ended_wait();
  bool hand_out(const Waits::Thread& wait);
  void end_records();
  bool next_in_order();
  bool next_with_traces();
  bool next_recorded();
  bool is_unpacked(const perf_format::Record& record) const;
  bool take_due();
  bool choose_lane();
  bool open_stream();
  void end_piece(bool is_end);
  bool comes_now(std::uint32_t block);
  bool waiting_is_below(std::size_t part) const;
  void make_room();
  void spill();
  bool report_progress();

  void read_record_of_perf();

  const stream::File& file_;
  const PassOptions options_;
  const CursorOptions more_;
  const bool in_time_order_;
  const bool merges_;  ///< streams are merged by time

  // The records in order.
  stream::BlockStore blocks_;
  OrderQueue queue_;
  std::optional<std::uint32_t> held_;         ///< the block of the record at hand
  std::vector<std::unique_ptr<Lane>> lanes_;  ///< the streams that are being read
  Lane* lane_ = nullptr;                      ///< the one that is read next
  std::size_t stream_ = 0;                    ///< the next stream to open
  std::uint64_t pushed_ = 0;                  ///< records that had to wait
  bool has_rounds_ = false;                   ///< the recording marks its rounds
  /// Queues of so many records stay in the cache of a CPU.
  static constexpr std::size_t kFewRecords = std::size_t{1} << 14;
  std::size_t room_at_ = kFewRecords;  ///< without rounds, make_room() is called at this length
  bool makes_room_ = false;            ///< the due records were moved to make room
  bool can_spill_ = true;              ///< there is room on disk
  std::uint64_t records_read_ = 0;
  std::uint64_t unreported_ = 0;  ///< bytes that were read since progress was reported
  bool cancelled_ = false;        ///< the progress callback wanted no more
  std::uint64_t bytes_read_ = 0;  ///< of streams that are read
  bool ended_ = false;
  std::uint64_t late_prologue_ = 0;  ///< records
  std::optional<Waits> waits_;       ///< if the pass is over waits

  // Samples of trace data, between the records of the file.
  std::optional<spe::SampleMaker> traces_;
  std::uint64_t packed_traces_ = 0;
};

}  // namespace evname::session
