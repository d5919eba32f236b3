#pragma once
// Adds up the samples of a recording by event, with all cores at once: a report by event alone
// needs neither the order of samples nor their threads, and a RecordCursor would take several times
// as long.

#include <cstdint>
#include <optional>
#include <vector>

#include "evname/pass.hpp"
#include "perf_format/sample_record.hpp"
#include "recordings/stream/recording_file.hpp"

namespace evname::session {

struct Sums {
  explicit Sums(const perf_format::Events& of) : events(of.size()), lost(of) {}

  std::vector<SampleSums> events;  ///< parallel to the file's
  perf_format::LostSamples lost;   ///< including samples of unknown events
  perf_format::RecordCounts records;
  bool cancelled = false;  ///< by the progress callback; the sums are then without meaning

  SampleTally tally() const;
};

/// Adds up all samples, in PassOptions::jobs threads that each read `part` bytes at a time; at
/// least
/// 8. Returns nullopt if the recording is a pipe or packed, has samples that stand for several or
/// come from traces, or needs a warning: a RecordCursor has to read it then.
std::optional<Sums> sum_up(const stream::File& file, const PassOptions& options,
                           std::size_t part = std::size_t{4} << 20);

}  // namespace evname::session
