// Outside of libpfm.so.4, live events are the ones that evname itself finds, and the events of
// Intel's architectural PMU.
#include "events/pfm4/dictionary.hpp"

namespace evname::pfm4 {

/// libpfm4 takes version 3 if it can't ask the CPU: the second seven of the sets in arch/pfm4.
std::uint32_t live_sets(const Pmu& pmu) {
  constexpr std::uint32_t kVersion3 = 0x7f << 8;
  return pmu.layout == Layout::intel ? kVersion3 : 0;
}

}  // namespace evname::pfm4
