#pragma once
// What a PerfData holds. Built once, then only read.

#include <vector>

#include "evname/perf_data.hpp"
#include "perfdata/file.hpp"
#include "perfdata/session.hpp"

namespace evname::detail {

struct PerfDataState {
  perfdata::File file;
  Machine machine;
  std::vector<RecordedEvent> events;  ///< parallel to file.events
};

perfdata::PassOptions session_options(const PassOptions& options);
SampleTally tally_of(perfdata::Tally tally);

struct SampleRef {
  const RecordedEvent& event;
  const perfdata::SampleView& view;
  bool swapped;  ///< numbers of the view's parts are of the other byte order
};

}  // namespace evname::detail
