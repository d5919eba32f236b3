#pragma once
#include <vector>

#include "diff/compare.hpp"
#include "evname/machine.hpp"

namespace evname::tools {

/// The events of a machine that is only named, one for each PMU that has it. What the views point
/// to lives as long as the machine.
std::vector<CodedEvent> coded_events(const Machine& machine);

}  // namespace evname::tools
