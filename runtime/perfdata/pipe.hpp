#pragma once
// What pipes say in records and files in their header. These records are read before all others,
// since perf may also write them last (--tail-synthesize).

#include "perfdata/file.hpp"

namespace evname::perfdata {

/// HEADER_ATTR, HEADER_FEATURE and HEADER_TRACING_DATA into events and features.
void read_pipe_records(const Stream& stream, File& file, Warnings& warnings);

/// EVENT_UPDATE records that name an event; they overrule EVENT_DESC.
void apply_event_updates(const Stream& stream, File& file, Warnings& warnings);

}  // namespace evname::perfdata
