#pragma once
// A recording with the names of its events put into it, for perf and other viewers to show.

#include <string>
#include <vector>

#include "evname/error.hpp"
#include "evname/export.h"
#include "evname/perf_data.hpp"

namespace evname {

/// An event that gets another name.
struct Renamed {
  std::size_t attr = 0;  ///< index of the event in the file
  ///@{
  /// Its name before and after.
  std::string from, to;
  ///@}
};

/// The events that the recording shows as codes and that have a name: NamedBy::tables. What the
/// user or perf called otherwise keeps its name, and what has none its code.
EVNAME_API std::vector<Renamed> names_to_inject(const PerfData& file);

/// Writes the recording to `path` ("-": standard output) with these names; samples, groups and
/// everything else stay the same bytes. A file gets them in EVENT_DESC, a pipe in EVENT_UPDATE
/// records after its events. Of a directory, a new one is made. `path` appears whole or not
/// at all; it may be the recording itself, but for a directory. What comes through a pipe is read
/// to its end. Errors: io; unsupported for forms that no perf since 3.2 writes.
EVNAME_API Result<std::vector<Renamed>> inject(const PerfData& file, const std::string& path);

}  // namespace evname
