#pragma once
// SampleFilter's members that need symbols.

#include <string>

#include "evname/annotate.hpp"
#include "recordings/locations/frame_namer.hpp"

namespace evname::annotation {

/// Is a sample in a function and file that the filter asks for?
bool accepts_code(const SampleFilter& filter, const Sample& sample, recording::FrameNamer& namer);

}  // namespace evname::annotation
