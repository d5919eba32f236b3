#pragma once
// Counts what a benchmark allocates.

#include <cstdint>

namespace evname::bench {

/// Calls of operator new by this thread so far.
std::uint64_t allocations();

}  // namespace evname::bench
