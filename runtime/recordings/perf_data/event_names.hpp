#pragma once
// Names of the events of a recording.

#include <vector>

#include "evname/perf_data.hpp"
#include "recordings/stream/recording_file.hpp"

namespace evname::recording {

/// One RecordedEvent for each event of the file, in its order. A name is, in this order: what the
/// user or perf called it; what perf calls a generic event; the machine's name of exactly that
/// code; the code spelled out ("cpu/event=0x3c,umask=0x1/").
std::vector<RecordedEvent> name_recorded_events(const perfdata::stream::File& file,
                                                const Machine& machine);

}  // namespace evname::recording
