// Outside of libpfm.so.4, the events that only a machine knows are those that evname itself finds
// there.
#include "events/pfm4/dictionary.hpp"

namespace evname::pfm4 {

std::uint32_t live_sets(const Pmu&) { return 0; }

}  // namespace evname::pfm4
