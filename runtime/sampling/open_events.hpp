#pragma once
// Opens the events of a recording on all its threads and CPUs, and maps their buffers.

#include <span>

#include "sampling/open_recording.hpp"

namespace evname::sampling {

/// Options of a sampler for opening events, beside those of recordings.
struct SamplerNeeds {
  std::span<const RecordOptions> own;  ///< of each event
  /// Mappings and names are recorded also while the events are disabled.
  bool tracks_always = false;
  /// Traces are for PerfData's decoder: others are refused, and all have times.
  bool decodes_traces = false;
};

Result<OpenRecording> open_recording(const Machine& machine, std::span<const Encoding> events,
                                     const CountTarget& target, const RecordOptions& options,
                                     const SamplerNeeds& needs = {});

}  // namespace evname::sampling
