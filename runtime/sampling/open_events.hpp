#pragma once
// Opens the events of a recording on all its threads and CPUs, and maps their buffers.

#include <span>

#include "sampling/open_recording.hpp"

namespace evname::sampling {

/// Options for opening the events of a sampler, in addition to RecordOptions.
struct SamplerNeeds {
  std::span<const RecordOptions> own;  ///< of each event
  /// Record mappings and names also while the events are disabled.
  bool tracks_always = false;
  /// Record traces for PerfData's decoder: refuse other kinds, and record times.
  bool decodes_traces = false;
};

Result<OpenRecording> open_recording(const Machine& machine, std::span<const Encoding> events,
                                     const CountTarget& target, const RecordOptions& options,
                                     const SamplerNeeds& needs = {});

}  // namespace evname::sampling
