#pragma once
// Which recorded name belongs to which event.

#include "perfdata/format/events.hpp"
#include "perfdata/format/features.hpp"

namespace evname::perfdata {

/// EVENT_DESC entries to events: by ids, else by identical attr, else by position; then tracepoints
/// by their id. Events the file names nowhere stay without name.
void name_events(const Features& features, Events& events);

}  // namespace evname::perfdata
