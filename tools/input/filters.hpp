#pragma once
// Options that choose samples: --event, --cpu, --comm, --pid, --tid, --time, --sym, --dso.

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "evname/sample_filter.hpp"

namespace evname::tools {

struct FilterOptions {
  std::string event, time, sym, dso;
  std::vector<std::string> cpus, comms, pids, tids;

  void add_to(Command& command);
  /// Is any of them given?
  bool is_set() const;
  /// All but the times. False: it told what is wrong.
  bool fill(SampleFilter& filter) const;
  /// The times, of which shares are of this recording.
  Result<void> fill_times(const PerfData& file, SampleFilter& filter) const;
};

}  // namespace evname::tools
