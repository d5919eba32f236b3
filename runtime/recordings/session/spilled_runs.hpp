#pragma once
// Records that wait for their turn where there is no more room in memory: in unlinked files.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/read_file.hpp"
#include "recordings/stream/stream.hpp"

namespace evname::perfdata::session {

/// A record that waits for its turn.
struct QueuedRecord {
  std::uint64_t time = 0;
  const std::uint8_t* data = nullptr;  ///< the record
  std::uint32_t block = 0;             ///< of BlockStore, that holds it; or SpilledRuns::kCopied
  std::uint32_t event = 0;             ///< for the caller
};

/// Runs of records that are in order of time, merged as they are taken. Of equal times the one that
/// was added first comes first.
class SpilledRuns {
 public:
  /// The block of records that were copied with what they are in; offset_of() tells their place.
  static constexpr std::uint32_t kCopied = UINT32_MAX;

  /// Adds a run. Records in owned blocks are copied, and their blocks released; the others stay
  /// where they are. After an error nothing has changed.
  Result<void> add(std::span<const QueuedRecord> run, stream::BlockStore& blocks,
                   std::endian order);

  bool empty() const { return heads_.empty(); }
  /// Of the earliest record; not if empty().
  std::uint64_t next_time() const { return heads_.front().time; }
  /// The earliest record. A copied one is there until the next call of take().
  QueuedRecord take();

  /// Of a record that was copied: where it was, for messages.
  static std::uint64_t offset_of(const QueuedRecord& record);

 private:
  struct Run {
    MappedFile bytes;      ///< the copied records, then the entries
    std::size_t next = 0;  ///< where in `bytes` the next entry is
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
  std::optional<MappedFile> finished_;  ///< the run of the record that was taken last
};

}  // namespace evname::perfdata::session
