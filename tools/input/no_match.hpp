#pragma once
// What to say of filters that leave no sample.

#include <span>

#include "evname/perf_data.hpp"
#include "input/filters.hpp"

namespace evname::tools {

/// Says on stderr which of the options leave no sample, and what the recordings have instead.
/// Reads them once more, unless they come through a pipe.
void tell_no_match(const FilterOptions& options, const SampleFilter& filter,
                   std::span<const PerfData> files);

}  // namespace evname::tools
