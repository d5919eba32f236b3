#pragma once
// The form that perf 7.3 asks of features. It refuses the whole file if one has another.

#include <cstdint>
#include <string_view>

#include "base/bytes.hpp"
#include "evname/features.hpp"

namespace evname::perf_format {

/// What perf compares features with.
struct PerfReader {
  std::endian order;                   ///< the recorder's
  std::uint32_t cpus = 0, online = 0;  ///< of NRCPUS
  std::size_t events = 0;              ///< number of attrs
  bool is_directory = false;           ///< the recording is one
};

/// Returns why perf refuses a file whose feature has this content: "is broken"; "" if it takes it.
std::string_view why_perf_refuses(Feature feature, Bytes content, const PerfReader& reader);

}  // namespace evname::perf_format
