#pragma once
// Writes the names of events into a recording, for perf and other viewers to show.

#include <string>
#include <vector>

#include "evname/error.hpp"
#include "evname/export.h"
#include "evname/perf_data.hpp"

namespace evname {

/// An event to be renamed.
struct Renamed {
  std::size_t attr = 0;  ///< index of the event in the file
  ///@{
  /// Its name before and after.
  std::string from, to;
  ///@}
};

/// Returns the events that are recorded as codes but have a name in the tables (NamedBy::tables).
/// Events named by the user or by perf keep that name, and events without a name keep their code.
EVNAME_API std::vector<Renamed> names_to_inject(const PerfData& file);

/// Writes the recording to `path` ("-": standard output) with the names of names_to_inject(), and
/// returns these. Samples, groups and everything else are copied byte for byte. The names are
/// stored in EVENT_DESC or, in a pipe, in EVENT_UPDATE records after the events; a directory is
/// written as a new directory. What appears at `path` is
/// complete, may be read by nobody who may not read the recording, and is written as by
/// write_file(); it may be the recording itself unless that is a directory, where nothing may be
/// there yet. SIGHUP, SIGINT and SIGTERM wait for this thread until what it has begun is removed. A
/// recording that comes through a pipe is consumed. Errors: io; unsupported for forms that no perf
/// since 3.2 writes.
EVNAME_API Result<std::vector<Renamed>> inject(const PerfData& file, const std::string& path);

}  // namespace evname
