#pragma once
// Samples while they are taken.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "perf_format/recorded_events.hpp"
#include "recordings/perf_data/recording_state.hpp"
#include "recordings/session/record_contents.hpp"
#include "recordings/spe/sample_maker.hpp"
#include "sampler/kept_records.hpp"
#include "sampling/ring.hpp"
#include "sampling/traces.hpp"

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

/// Decodes the areas beside buffers. Copies their contents at once, so that the hardware has room.
class LiveTraces {
 public:
  /// `rings` and `events` outlive the object. `described` has no queues.
  LiveTraces(const spe::Trace& described, std::span<sampling::Ring> rings,
             std::span<const sampling::TraceSource> sources, const perf_format::Events& events,
             spe::SampleMaker::ProcessOf process_of);

  /// Takes the contents of the areas, once all earlier samples were made.
  void begin();
  spe::SampleMaker& samples() { return *samples_; }
  /// Returns sentences about the parts of all areas that were not read.
  std::vector<spe::SampleMaker::Fault> faults() const { return samples_->faults(); }
  /// Passes on the pieces that were decoded since the last call.
  void keep_in(KeptRecords& kept);

  /// Returns how often an area was invalid, or did not continue the part read before.
  std::uint64_t damaged() const { return damaged_; }

 private:
  struct Area {
    sampling::Ring* ring;
    sampling::TraceSource source;
    std::unique_ptr<std::uint8_t[]> bytes;  ///< with room for a rest and a whole area
    std::uint64_t kept = 0;                 ///< trace data before this place is in KeptRecords
  };

  void take(std::size_t number);

  spe::Trace trace_;
  std::vector<Area> areas_;  ///< parallel to the queues of the trace
  std::unique_ptr<spe::SampleMaker> samples_;
  std::atomic<std::uint64_t> damaged_ = 0;  ///< is read while another thread decodes
};

/// Reads the records of buffers while the kernel writes them.
class LiveSamples final : public detail::SampleSource, private session::RecordContents {
 public:
  /// `events` and `rings` outlive the object. `clock` is the clock of the samples' times, if it can
  /// be read.
  LiveSamples(const perf_format::Events& events, std::span<sampling::Ring> rings,
              std::optional<int> clock);

  /// Makes samples also from the traces of `described`, whose events are in `events`.
  void add_traces(const spe::Trace& described, std::span<const sampling::TraceSource> sources);
  /// Reads a record that evname made.
  void read_made(std::string_view record);
  /// Adds the records that are read from now on to `kept`; nullptr: keeps none.
  void keep_in(KeptRecords* kept) { kept_ = kept; }

  bool next_sample() override;
  SampleTally tally() const override;
  const session::RecordContents& contents() const override { return *this; }

  /// Passes on the pieces of traces that were decoded to KeptRecords, as the end of a walk does.
  void keep_traces();

  using RecordContents::lost;
  std::uint64_t truncated() const { return truncated_; }
  std::uint64_t damaged() const { return merge_.damaged() + (traces_ ? traces_->damaged() : 0); }

 private:
  bool begin();
  bool next_record();
  bool take();

  std::span<sampling::Ring> rings_;
  RingMerge merge_;
  std::optional<LiveTraces> traces_;
  std::optional<int> clock_;
  KeptRecords* kept_ = nullptr;
  int opened_by_;       ///< the process, whose children have no buffers
  bool began_ = false;  ///< the buffers are being read
  /// Pieces of traces; is read while another thread reads samples.
  std::atomic<std::uint64_t> truncated_ = 0;
};

}  // namespace evname::sampler
