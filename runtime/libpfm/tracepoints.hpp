#pragma once
// The tracepoints of the kernel as libpfm4 shows them: events of the PMU "perf", each system an
// event and its tracepoints the unit masks. They are read from debugfs on first use, and kept.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "events/pfm4/encode_name.hpp"

namespace evname::libpfm {

struct Tracepoint {
  const char* name;
  std::uint64_t id;
};

struct TracepointSystem {
  const char* name;
  const Tracepoint* first;
  std::size_t count;

  std::span<const Tracepoint> points() const { return {first, count}; }
};

/// Returns the systems in the order of the directory; none if debugfs can't be read.
std::span<const TracepointSystem> tracepoint_systems();

/// Encodes a text that names a system, "SYSTEM:TRACEPOINT:MODIFIERS", with or without "perf::".
/// `event` of the result follows the events of the PMU's table. Error::not_found: there is no such
/// system.
pfm4::Error encode_tracepoint(const pfm4::Scope& scope, const pfm4::Pmu& perf,
                              std::string_view text, std::uint8_t levels, pfm4::Os os,
                              pfm4::Encoded& out);

/// Returns the index of the event in the PMU's table that has the attributes of all tracepoints.
inline unsigned tracepoint_event(const pfm4::Pmu& perf) { return perf.count - 1u; }

}  // namespace evname::libpfm
