#pragma once
// The places of the parts of a data source; evname/decoded.hpp has their values and texts.
// Source: union perf_mem_data_src of include/uapi/linux/perf_event.h.

#include <cstdint>

namespace evname::perf_format::data_source {

struct Bits {
  int from, width;
  std::uint64_t of(std::uint64_t value) const { return value >> from & ((1u << width) - 1); }
  constexpr std::uint64_t mask() const { return ((std::uint64_t{1} << width) - 1) << from; }
};

inline constexpr Bits kOp{0, 5}, kLevel{5, 14}, kSnoop{19, 5}, kLock{24, 2}, kTlb{26, 7},
    kLevelNumber{33, 4}, kRemote{37, 1}, kSnoopX{38, 2}, kBlock{40, 3}, kHops{43, 3},
    kRegion{46, 5};
inline constexpr std::uint64_t kHit = 2, kMiss = 4;  // of levels and TLBs

}  // namespace evname::perf_format::data_source
