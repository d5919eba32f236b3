#pragma once
// The records of several buffers, in the order of their times.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "perf_format/recorded_events.hpp"
#include "sampling/ring.hpp"

namespace evname::sampler {

/// Hands out records. A buffer is in order except for interrupted writes, and so is the result.
class RingMerge {
 public:
  /// Both outlive the object.
  RingMerge(std::span<sampling::Ring> rings, const perf_format::Events& events);

  /// Begins a walk over the contents of the buffers. Records later than `limit` are left for the
  /// next walk.
  void begin(std::uint64_t limit);
  /// Sets `record` to the next one, valid until the next call, and `event` to a sample's event
  /// (nullptr: unknown). Returns false after the last; all records are then given back to the
  /// kernel.
  bool next(perf_format::Record& record, const perf_format::Event*& event);
  /// Returns the time of that record; 0: it has none.
  std::uint64_t time() const { return taken_->time; }
  /// Gives back the rest of an abandoned walk.
  void end();

  /// Returns how often the invalid rest of a buffer was left out.
  std::uint64_t damaged() const { return damaged_; }

 private:
  /// Longer than any record.
  static constexpr std::size_t kLongest = std::size_t{1} << 16;

  struct Lane {
    sampling::Ring* ring = nullptr;
    sampling::RingContent content = {};
    std::size_t at = 0;      ///< of the first record that was not handed out
    std::size_t size = 0;    ///< of that record; 0: there is none, or it is too late
    std::uint64_t time = 0;  ///< its time
    const perf_format::Event* event = nullptr;   ///< of a sample
    std::size_t released = 0;                    ///< bytes given back
    std::unique_ptr<std::uint8_t[]> whole = {};  ///< a record that wraps
  };

  /// Finds the record at lane.at.
  void look(Lane& lane);
  void skip_rest(Lane& lane);
  void give_back(Lane& lane);
  const std::uint8_t* bytes_at(Lane& lane, std::size_t size);

  const perf_format::Events& events_;
  std::vector<Lane> lanes_;
  std::vector<Lane*> heap_;  ///< lanes that have a record, the earliest first
  Lane* taken_ = nullptr;    ///< its record is handed out
  std::uint64_t limit_ = 0;
  std::atomic<std::uint64_t> damaged_ = 0;  ///< is read while another thread merges
};

}  // namespace evname::sampler
