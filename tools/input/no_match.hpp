#pragma once
// Messages for patterns and filters that nothing matches.

#include <span>
#include <string>
#include <string_view>

#include "evname/perf_data.hpp"
#include "input/filters.hpp"

namespace evname::tools {

/// " ('*x*' finds parts of names)" for the name "x", of which there is none; "" for a pattern.
std::string glob_hint(std::string_view name);

/// Says on stderr which of the options leave no sample, and what the recordings have instead.
/// Reads them once more, unless they come through a pipe.
void tell_no_match(const FilterOptions& options, const SampleFilter& filter,
                   std::span<const PerfData> files);

}  // namespace evname::tools
