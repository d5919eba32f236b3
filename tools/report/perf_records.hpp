#pragma once
// What `perf report --stats` and `--tasks` print: the numbers of records, and the tree of threads.

#include "evname/recording.hpp"

namespace evname::tools {

/// Prints how many records of each type a recording has, and samples of each event. Returns the
/// exit code.
int print_stats(const Recording& file);

/// Prints the recorded threads, each below the thread that made it. Returns the exit code.
int print_tasks(const Recording& file);

}  // namespace evname::tools
