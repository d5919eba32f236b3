#pragma once
// Checks the form of features as perf 7.3 does, which refuses the whole file if one is wrong.

#include <cstdint>
#include <string_view>

#include "base/bytes.hpp"
#include "evname/features.hpp"

namespace evname::perf_format {

/// The facts that perf compares features with.
struct PerfReader {
  std::endian order;                   ///< the recorder's
  std::uint32_t cpus = 0, online = 0;  ///< of NRCPUS
  std::size_t events = 0;              ///< number of attrs
  bool is_directory = false;           ///< the recording is one
};

/// Returns why perf refuses a file with this content of the feature: "is broken"; "" if it accepts
/// it.
std::string_view why_perf_refuses(Feature feature, Bytes content, const PerfReader& reader);

}  // namespace evname::perf_format
