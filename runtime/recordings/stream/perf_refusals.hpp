#pragma once
// Finds the reasons why perf would refuse a recording.

#include <cstdint>
#include <string>
#include <vector>

#include "recordings/stream/recording_file.hpp"

namespace evname::stream {

/// The records to check.
enum class Looked : std::uint8_t {
  first,  ///< the records before the first sample
  all,    ///< all except compressed ones
};

/// Returns a sentence for each reason why perf 7.3 would end with an error.
std::vector<std::string> perf_refusals(const File& file, Looked looked);

}  // namespace evname::stream
