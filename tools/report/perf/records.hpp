#pragma once
// What `perf report` prints of records: -D, --stats and --tasks.

#include "evname/recording.hpp"
#include "evname/symbols.hpp"

namespace evname::tools {

/// Prints how many records of each type a recording has, and samples of each event. Returns the
/// exit code.
int print_stats(const Recording& file);

/// Prints the bytes and the fields of each record, and the same numbers. Returns the exit code.
int print_dump(const Recording& file, const Symbols& symbols);

/// Prints the recorded threads, each below the thread that made it. Returns the exit code.
int print_tasks(const Recording& file);

}  // namespace evname::tools
