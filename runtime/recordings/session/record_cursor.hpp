#pragma once
// Reads the records of a recording one after the other, in the order of their times.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "evname/pass.hpp"
#include "recordings/format/sample_record.hpp"
#include "recordings/format/warnings.hpp"
#include "recordings/session/address_maps.hpp"
#include "recordings/session/deferred_chains.hpp"
#include "recordings/session/processes.hpp"
#include "recordings/session/record_order.hpp"
#include "recordings/stream/recording_file.hpp"
#include "recordings/stream/stream.hpp"

namespace evname::perfdata::session {

/// Splits samples that carry counter values (PERF_SAMPLE_READ, the `:S` modifier): each value is a
/// sample of the event it counts, with what was counted since its last value as period. Policy:
/// deliver_sample_value and deliver_sample_group of tools/perf/util/session.c; inherited counters
/// have a value for each thread (perf_sample_id__get_period_storage).
class GroupValues {
 public:
  /// Begins with the values of a sample. Those without an id of their own have the sample's.
  void begin(const SampleRecord& sample, std::endian order);

  /// Returns true if no value is left.
  bool empty() const { return left_ == 0; }

  /// Finds the next value that differs from the last one of its id. Returns false if there is none.
  bool next(std::uint64_t& id, std::uint64_t& period);

 private:
  struct Key {
    std::uint64_t id;
    std::int32_t tid;  ///< -1: the counter is not inherited
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return (key.id * 0x9e3779b97f4a7c15u) ^ static_cast<std::uint32_t>(key.tid);
    }
  };

  std::unordered_map<Key, std::uint64_t, Hash> last_;
  Cursor in_{{}, std::endian::native};
  std::uint64_t format_ = 0;
  std::uint64_t left_ = 0;   ///< number of values to come
  std::uint64_t value_ = 0;  ///< of an event without a group
  Key own_ = {};             ///< of the sample
};

/// Options of a pass that only the library sets.
struct CursorOptions {
  /// Called before AddressMaps changes what copies of ProcessMaps see too.
  std::function<void()> before_mapping = {};
  /// The caller parses samples without variable parts itself: only their pid and tid are read.
  bool threads_only = false;
  ///@{
  /// The most records that may wait in memory for records of earlier times, and bytes of blocks
  /// that they are in. What is more is spilled to a file.
  std::size_t waiting_records = (1 << 19) - 128;
  std::size_t waiting_bytes = 16 << 20;
  ///@}
  std::uint64_t progress_interval = 1 << 16;  ///< records; at least 1
};

/// A pass over the records of a recording. perf's order of time is kept: by the marks of rounds
/// (FINISHED_ROUND) and, in a directory, by the times in all files.
class RecordCursor {
 public:
  /// `file` outlives the cursor.
  RecordCursor(const stream::File& file, const PassOptions& options,
               const CursorOptions& more = {});
  ~RecordCursor();
  RecordCursor(const RecordCursor&) = delete;
  RecordCursor& operator=(const RecordCursor&) = delete;

  /// Moves to the next record, or to the next counter value of a sample that has several. Samples
  /// that can't be read are passed over. Returns false at the end.
  bool next();
  /// Moves to the next sample. Returns false at the end.
  bool next_sample() {
    while (next())
      if (is_sample_) return true;
    return false;
  }
  /// Ends the pass here; otherwise it ends when next() returns false.
  void end();

  bool is_sample() const { return is_sample_; }
  /// The record, less what sample_id_all added to it if it is no sample. Like all that follows, it
  /// is valid until the next call of next().
  const Record& record() const { return sample_.record; }
  /// What sample_id_all added to the record at hand, if it is no sample.
  Bytes trailer() const { return trailer_; }
  /// Returns the name that a thread has by now, which lasts as long as the cursor.
  std::string_view comm_of(std::int32_t pid, std::int32_t tid) { return threads_.comm(pid, tid); }
  /// Returns true unless the record has had a sample before: another counter value.
  bool is_first_of_record() const { return is_first_; }
  /// The loss that a record other than a sample reports.
  const Loss& loss() const { return loss_; }

  /// The sample at hand.
  const SampleRecord& sample() const { return sample_; }
  /// The name of its thread, which lasts as long as the cursor.
  std::string_view comm() const { return comm_; }
  /// The name of its process, which lasts as long as the cursor; empty if no record has it.
  std::string_view process_comm() const { return threads_.process_comm(sample_.pid); }
  /// The mappings of its process. There are none unless PassOptions::maps is set.
  const ProcessMaps& maps() const { return *sample_maps_; }
  /// The path of its cgroup, which lasts as long as the cursor; empty if no record has it.
  std::string_view cgroup_path() const { return cgroup_path_; }

  /// Returns what the pass has met so far; warnings only if it has ended.
  SampleTally tally() const;

 private:
  struct Lane;
  /// A kind of problem: how often it was met, and the end of a sentence about one and about many.
  struct Problem {
    std::uint64_t count = 0;
    const char *one, *many;
  };

  bool next_in_order();
  bool take_due();
  bool choose_lane();
  bool open_stream();
  void end_piece(bool is_end);
  bool comes_now(std::uint32_t block);
  bool waiting_is_below(std::size_t part) const;
  void make_room();
  void spill();
  void report_progress();

  bool read_sample();
  bool next_value();
  void read_other();
  void read_record_of_perf();
  bool follow(const Record& record);
  void count_too_long();

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
  bool makes_room_ = false;                   ///< what was due was to make room
  bool can_spill_ = true;                     ///< there is room on disk
  std::uint64_t records_read_ = 0;
  std::uint64_t bytes_read_ = 0;  ///< of streams that are read
  bool ended_ = false;

  // Their contents.
  SampleRecord sample_;
  const Event* event_ = nullptr;  ///< of the record at hand
  bool is_sample_ = false;
  bool is_first_ = false;  ///< sample of its record
  Bytes trailer_;
  Loss loss_;
  std::string_view comm_, cgroup_path_;
  const ProcessMaps* sample_maps_ = nullptr;
  Threads threads_;
  AddressMaps maps_;
  Cgroups cgroups_;
  DeferredChains deferred_;
  GroupValues values_;

  RecordCounts counts_;
  Warnings warnings_;
  std::uint64_t samples_ = 0, lost_ = 0, late_prologue_ = 0;
  Problem unknown_ids_{0, "sample has an id that no event of the file has",
                       "samples have an id that no event of the file has"};
  Problem malformed_{0, "sample is shorter than its event says",
                     "samples are shorter than their event says"};
  Problem malformed_others_{0, "record of another type is too short",
                            "records of other types are too short"};
  Problem unknown_values_{0, "counter value has an id that no event of the file has",
                          "counter values have an id that no event of the file has"};
  Problem unknown_records_{0, "record is of an unknown type", "records are of unknown types"};
  Problem too_long_{0, "record is longer than what is in it, which may hide others",
                    "records are longer than what is in them, which may hide others"};
};

}  // namespace evname::perfdata::session
