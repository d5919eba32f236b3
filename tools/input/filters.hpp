#pragma once
// Options that choose samples: --event, --cpu, --comm, --pid, --tid, --time, --min-latency, --op,
// --sym, --dso; and messages if they leave no sample.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "evname/recording.hpp"
#include "evname/sample_filter.hpp"

namespace evname::tools {

struct FilterOptions {
  std::string event, time, sym, dso, min_latency;
  std::vector<std::string> cpus, comms, pids, tids, operations;

  void add_to(Command& command);
  /// Returns true if any of them is given.
  bool is_set() const;
  /// Sets all but the times.
  void fill(SampleFilter& filter) const;
  /// Sets the times; percentages are of each recording. `file` is the first one.
  Result<void> fill_times(const Recording& file, SampleFilter& filter) const;
};

/// Reports the options that leave no sample, and the values in the recordings. Reads them again,
/// unless they come through a pipe.
void tell_no_match(const FilterOptions& options, const SampleFilter& filter,
                   std::span<const Recording> files);

}  // namespace evname::tools
