#pragma once
// Makes the features of a recording, which describe the machine and how it was recorded.
// Source of the layouts: tools/perf/Documentation/perf.data-file-format.txt and util/header.c.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evname/machine.hpp"
#include "evname/recorder.hpp"
#include "perf_format/feature_types.hpp"

namespace evname::sampling {

/// An event as the file's header describes it.
struct RecordedEvent {
  std::string_view attr;  ///< its bytes
  std::string name;       ///< with its modifiers
  std::span<const std::uint64_t> ids;
  std::size_t leader = 0;  ///< the event that leads its group, or itself
};

/// Facts that only the recording itself knows.
struct RecordedFacts {
  std::vector<RecordedEvent> events;
  std::span<const Encoding> encodings;                   ///< of the events
  std::uint64_t first_time = UINT64_MAX, last_time = 0;  ///< of samples
  std::span<const std::uint64_t> trace_places;           ///< of AUXTRACE records in the file
};

/// The bytes of features.
using FeatureSections = std::map<perf_format::Feature, std::string>;

/// Returns the known features: names of the system and CPUs, their topology, caches and memory,
/// PMUs, events, groups, formats of tracepoints, times, places of traces.
FeatureSections features_of(const Machine& machine, const RecordOptions& options,
                            const RecordedFacts& facts);

}  // namespace evname::sampling
