#pragma once
// Maps the buffers of open events, and the areas of traces beside them.

#include "sampling/open_recording.hpp"

namespace evname::sampling {

/// Maps the buffers of the events. They have the same size on all CPUs, the largest that the kernel
/// permits for all of them: a larger one would leave less to the others.
Result<void> map_buffers(const RecordOptions& options, OpenRecording& recording);

}  // namespace evname::sampling
