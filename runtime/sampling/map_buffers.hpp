#pragma once
// Maps the buffers of open events, and the areas of traces beside them.

#include "sampling/open_recording.hpp"

namespace evname::sampling {

/// Maps the buffers of the events. All have the same size, the largest that the kernel permits for
/// all of them.
Result<void> map_buffers(const RecordOptions& options, OpenRecording& recording);

}  // namespace evname::sampling
