#pragma once
// Which samples a caller in C asks for.

#include "evname/report.h"
#include "evname/sample_filter.hpp"

namespace evname::c {

SampleFilter filter_of(const evname_filter* from);

/// How to read the recording. Errors: invalid_argument.
Result<PassOptions> pass_of(const evname_filter* from);

void set_tally(const SampleTally& tally, evname_tally* out);

}  // namespace evname::c
