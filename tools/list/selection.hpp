#pragma once
// Which events `evname list` shows.

#include <string>
#include <vector>

#include "evname/machine.hpp"

namespace evname::tools {

/// An event has to satisfy all that are given. Case does not matter.
struct Selection {
  std::vector<std::string> globs;   ///< one of them for the name
  std::vector<std::string> search;  ///< words, each of them in the name, topic or a description
  std::string pmu, topic;           ///< globs

  bool accepts(const EventInfo& event) const;
  /// "'l2_*'": what was asked for.
  std::string text() const;
};

/// All that can be named on the machine, those of its tables and PMUs, of the kernel and of perf:
/// sorted by PMU, then name.
std::vector<EventInfo> all_events(const Machine& machine);

/// Says on stderr that nothing was selected, and what there is instead.
void tell_nothing(const Machine& machine, const std::vector<EventInfo>& all,
                  const Selection& selection);

}  // namespace evname::tools
