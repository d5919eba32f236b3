#pragma once
// What a PerfData holds. Built once, then only read.

#include <vector>

#include "evname/perf_data.hpp"
#include "perfdata/file.hpp"
#include "perfdata/session.hpp"
#include "perfdata/sums.hpp"

namespace evname::detail {

struct PerfDataState {
  perfdata::File file;
  Machine machine;
  std::vector<RecordedEvent> events;  ///< parallel to file.events
};

perfdata::PassOptions session_options(const PassOptions& options);
unsigned jobs_of(const PassOptions& options);
SampleTally tally_of(perfdata::Tally tally);
SampleTally tally_of(const perfdata::Sums& sums);

struct SampleRef {
  const RecordedEvent& event;
  const perfdata::SampleView& view;
  bool swapped;  ///< numbers of the view's parts are of the other byte order
};

}  // namespace evname::detail
