#pragma once
// What a recording states about its machine and itself, for the command and the rooms above.

#include <vector>

#include "evname/recording.hpp"
#include "perf_format/feature_types.hpp"

namespace evname::perf_data {

/// Returns the features, as long as the recording or a copy exists.
const perf_format::Features& features_of(const Recording& file);

/// Returns true if the periods of an event are times, in ns: of perf record --off-cpu.
bool has_durations(const RecordedEvent& event);

/// The contents of records other than samples.
struct RecordSurvey {
  SampleTally tally = {};  ///< of the pass
  /// Each file with its build id, once. The build ids come from the feature BUILD_ID or from the
  /// records of mappings (perf since 7.0).
  std::vector<perf_format::BuildId> build_ids = {};
  std::vector<perf_format::BpfMetadata> bpf_metadata = {};  ///< of BPF programs that were loaded
  /// The statistics that `perf sched stats record` wrote, in the order of their first records.
  std::vector<perf_format::SchedulerStatistics> scheduler = {};
};

/// Goes through all records once, and collects the contents of records other than samples.
RecordSurvey survey(const Recording& file, const PassOptions& options = {});

}  // namespace evname::perf_data
