#pragma once
// The summary of a recording that `evname info` prints: what people ask first, on one screen.

#include "evname/recording.hpp"

namespace evname::tools {

/// Prints at most 40 lines. Reads the samples, and returns the tally of that pass.
SampleTally print_summary(const Recording& file);

}  // namespace evname::tools
