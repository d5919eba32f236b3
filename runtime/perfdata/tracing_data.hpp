#pragma once
// TRACING_DATA: which tracepoint each id stands for.
// Source: tracing_data_get and trace_report of tools/perf/util/trace-event-{info,read}.c.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"

namespace evname::perfdata {

/// id (attr.config) and "system:name" of every format in the blob; false if the blob is broken
/// (what was read up to there is kept). The blob has a byte order of its own.
bool read_tracepoints(Bytes blob, std::vector<std::pair<std::uint64_t, std::string>>& tracepoints);

}  // namespace evname::perfdata
