#pragma once
// Decoding perf_event_attr.

#include <cstdint>

#include "base/bytes.hpp"
#include "evname/attr.hpp"

namespace evname::perfdata {

inline constexpr std::uint32_t kAttrSizeMin = 64;     ///< PERF_ATTR_SIZE_VER0
inline constexpr std::uint32_t kAttrSizeKnown = 136;  ///< up to config3

/// Decodes the attr at the start of `bytes`; what is missing reads as zero, what is more is
/// ignored.
Attr decode_attr(Bytes bytes, std::endian order);

/// The size an attr claims (0 means 64), without decoding it. `bytes` holds at least 8.
std::uint32_t attr_size(Bytes bytes, std::endian order);

}  // namespace evname::perfdata
