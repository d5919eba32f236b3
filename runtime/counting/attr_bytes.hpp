#pragma once
// A perf_event_attr that is long enough for all config words, whatever the system's header has.

#include <linux/perf_event.h>

#include <array>
#include <cstdint>

#include "evname/code.h"

namespace evname::counting {

inline constexpr std::size_t kSizeWithConfig3 = 136, kSizeWithConfig4 = 144;

/// The attr is built in a buffer, since headers older than Linux 6.3 have no config3.
using AttrBytes = std::array<unsigned char, kSizeWithConfig4>;

/// Returns the smallest attr size that holds the code: kernels refuse a longer attr than theirs if
/// the rest is not zero.
inline std::uint32_t attr_size_for(const Code& code) {
  if (code.config[4] != 0) return kSizeWithConfig4;
  return code.config[3] != 0 ? kSizeWithConfig3 : PERF_ATTR_SIZE_VER7;
}

}  // namespace evname::counting
