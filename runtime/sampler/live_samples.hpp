#pragma once
// Samples while they are taken.

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "recordings/perf_data/perf_data_state.hpp"
#include "recordings/session/record_contents.hpp"
#include "sampler/kept_records.hpp"
#include "sampler/live_traces.hpp"
#include "sampler/ring_merge.hpp"

namespace evname::sampler {

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
