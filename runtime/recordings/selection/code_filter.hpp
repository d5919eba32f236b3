#pragma once
// SampleFilter's members that need symbols.

#include <string>

#include "evname/annotate.hpp"
#include "recordings/locations/location_cache.hpp"

namespace evname::annotation {

/// Is a sample in a function and file that the filter asks for?
bool accepts_code(const SampleFilter& filter, const Sample& sample,
                  recording::LocationCache& locations);

}  // namespace evname::annotation
