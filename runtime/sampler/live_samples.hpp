#pragma once
// Samples while they are taken.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "recordings/perf_data/perf_data_state.hpp"
#include "recordings/session/record_contents.hpp"
#include "sampler/kept_records.hpp"
#include "sampler/ring_merge.hpp"

namespace evname::sampler {

/// Reads the records of buffers while the kernel writes them.
class LiveSamples final : public detail::SampleSource, private perfdata::session::RecordContents {
 public:
  /// `events` and `rings` outlive the object. `clock` is that of the samples' times, if it is one
  /// that can be read.
  LiveSamples(const perfdata::Events& events, std::span<sampling::Ring> rings,
              std::optional<int> clock);

  /// Reads a record that evname made.
  void read_made(std::string_view record);
  /// Adds what is read from now on to `kept`; nullptr: to none.
  void keep_in(KeptRecords* kept) { kept_ = kept; }

  bool next_sample() override;
  SampleTally tally() const override { return tally_of(true, {}); }
  const perfdata::session::RecordContents& contents() const override { return *this; }

  using RecordContents::lost;
  std::uint64_t damaged() const { return merge_.damaged(); }

 private:
  bool begin();
  bool take();

  RingMerge merge_;
  std::optional<int> clock_;
  KeptRecords* kept_ = nullptr;
  int opened_by_;       ///< the process, whose children have no buffers
  bool began_ = false;  ///< the buffers are being read
};

}  // namespace evname::sampler
