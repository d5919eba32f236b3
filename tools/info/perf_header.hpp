#pragma once
// The header of a recording as perf script --header and perf report --header print it.

#include "evname/recording.hpp"
#include "info/features.hpp"
#include "recordings/annotation/script_options.hpp"

namespace evname::tools {

/// Returns "# ========", the place of the data, the features of a file, and "# ========". `all`:
/// the long features, too (-I).
Lines header_lines(const Recording& file, bool all);

/// Returns the lines of the features alone, which perf prints once it has read them from a pipe.
Lines feature_header(const Recording& file, bool all);

void print_header(const Lines& lines);

/// Returns the options of a dump of the recording's records (-D).
annotation::DumpOptions dump_options(const Recording& file);

}  // namespace evname::tools
