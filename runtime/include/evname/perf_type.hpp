#pragma once
// What perf_event_attr.type says. Source: enum perf_type_id of include/uapi/linux/perf_event.h.

#include <cstdint>

namespace evname {

/// Types that mean the same on every machine; those of other PMUs start above.
enum PerfType : std::uint32_t {
  kTypeHardware = 0,
  kTypeSoftware = 1,
  kTypeTracepoint = 2,
  kTypeHwCache = 3,
  kTypeRaw = 4,
  kTypeBreakpoint = 5,
};

/// Do its codes mean the same on every machine? Those of raw events don't.
constexpr bool is_generic_type(std::uint32_t type) {
  return type <= kTypeBreakpoint && type != kTypeRaw;
}

}  // namespace evname
