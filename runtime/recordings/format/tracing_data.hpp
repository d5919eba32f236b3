#pragma once
// TRACING_DATA: the tracepoints of a recording and the layout of their fields.
// Source: tracing_data_get and trace_report of tools/perf/util/trace-event-{info,read}.c; formats:
// Documentation/trace/events.rst of Linux.

#include <optional>
#include <string_view>

#include "base/bytes.hpp"
#include "evname/features.hpp"

namespace evname::perfdata {
inline namespace format {

/// False if the blob is broken; what was read up to there is kept. It has a byte order of its own.
bool read_tracing_data(Bytes blob, TracingData& tracing);

/// The text of a format file; nullopt without a name and an ID.
std::optional<TraceFormat> parse_trace_format(std::string_view system, std::string_view text);

/// A field's line: "field:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;"; nullopt if it is
/// none.
std::optional<TraceField> parse_trace_field(std::string_view line);

}  // namespace format
}  // namespace evname::perfdata
